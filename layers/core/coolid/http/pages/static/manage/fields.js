// The fields that columns of a table can stand for, and guesses from the columns' names in several languages.

// By operation: the fields offered, those that each row must have, and whether any other metadata can be written.
export const OPERATIONS = {
  __proto__: null,
  mint: { fields: ["uri", "what", "who", "when", "type", "license", "how", "where", "id", "prefix", "status", "ttl"], needed: ["uri"], open: true },
  reserve: { fields: ["what", "who", "when", "type", "license", "how", "where", "id", "uri", "prefix", "ttl"], needed: [], open: true },
  retarget: { fields: ["pid", "uri"], needed: ["pid", "uri"] },
  update: { fields: ["pid", "what", "who", "when", "type", "license", "how", "where", "uri", "status", "ttl"], needed: ["pid"], open: true },
  withdraw: { fields: ["pid", "reason", "successor", "state"], needed: ["pid", "reason"] },
  publish: { fields: ["pid"], needed: ["pid"] },
};

const NAMES = {
  __proto__: null,
  pid: `pid identifier persistentidentifier persistentid permalink permanentlink permanenturl ark arkid doi handle purl lui
    kennung identifikator persistenteridentifikator identifiant identifiantperenne identificador identificativo
    identificatore identyfikator tunniste identifikaattori tunnus lienperenne enlacepermanente permalien`,
  uri: `uri url target link href address location website webaddress webpage landingpage destination newurl newtarget
    adresse ziel zieladresse webadresse webseite internetadresse verweis lien cible adressweb adresseweb siteweb
    nouvelleurl enlace direccion direccionweb destino sitio indirizzo collegamento destinazione sito ligacao endereco
    koppeling webadres lank webbadress lenke nettadresse linkki osoite verkkoosoite odkaz adres adresurl adreswww ссылка
    адрес リンク 链接 网址 連結 網址`,
  what: `what title titles maintitle titel haupttitel bezeichnung benennung titre intitule titulo titolo titol tytul nazwa
    nazev otsikko nimeke tittel overskrift cim name nom nombre nome naam namn navn objecttitle label caption название
    заглавие заголовок τιτλος タイトル 題名 标题 題目 제목`,
  who: `who creator creators author authors artist photographer composer maker writer verfasser verfasserin autor autorin
    urheber urheberin schopfer kunstler fotograf auteur auteurs createur createurs artiste photographe auteure autora
    autores creador artista autore autori creatore creatori tekija kirjoittaja forfatter forfattare upphov upphovsperson
    tworca auteurnaam maker vervaardiger автор создатель συγγραφεας 作者 著者 저자`,
  when: `when date dates year created issued published publicationdate publicationyear publicationdate datepublished
    datecreated dateissued datum jahr erscheinungsjahr entstehungsdatum entstehungsjahr datierung annee dateedition
    datedepublication datecreation fecha ano fechapublicacion data anno dataedizione jaar aar dato rok vuosi
    paivamaara paivays ar arstal artal дата год ημερομηνια 日期 年 日付 날짜`,
  where: "where ercwhere",
  how: "how erchow",
  type: `type resourcetype objecttype documenttype genre typ objekttyp dokumenttyp medientyp gattung ressourcentyp art
    objektart typedocument typederessource tipo tipodocumento tyyppi soort тип 类型 類型`,
  license: `license licence licenses rights lizenz lizenzen rechte nutzungsrechte licencia derechos droits licenza diritti
    licenca direitos licentie rechten lisenssi oikeudet licens rettigheter licencja prawa лицензия 许可`,
  id: "suffix localid localidentifier ownid eigenekennung lokalekennung slug",
  reason: `reason withdrawalreason why note comment grund begrundung loschgrund raison motif motivo razon causa reden syy
    orsak begrunnelse powod причина 理由 原因`,
  successor: `successor replacement replacedby isreplacedby supersededby newidentifier newpid nachfolger ersatz ersetztdurch
    successeur remplacement remplacepar sucesor reemplazo reemplazadopor successore sostituzione sostituitoda opvolger
    vervangendoor seuraaja ersattare ersattav nastepca`,
  "metadata.publisher": "publisher verlag herausgeber editeur editorial editora editore uitgever kustantaja forlag forlag wydawca issuer",
  "metadata.description": `description abstract summary beschreibung zusammenfassung kurzbeschreibung inhalt resume descripcion
    resumen descrizione riassunto descricao resumo beschrijving samenvatting kuvaus beskrivning beskrivelse opis`,
  "metadata.keywords": `keywords keyword subject subjects tags schlagwort schlagworte schlagworter stichworte stichworter thema sujet sujets
    motscles palabrasclave materia materias parolechiave soggetto palavraschave assunto trefwoorden avainsanat asiasanat
    amnesord nyckelord emneord slowakluczowe`,
  "metadata.language": "language sprache langue idioma lingua taal kieli sprak jezyk язык",
};
// Columns that only the service's own names stand for: in spreadsheets, ID is often a number of the row.
const OWN_NAMES = ["id", "prefix", "status", "ttl", "state"];
const RESULTS = ["pid", "status", "error"];
const FIELDS = new Map(Object.entries(NAMES).flatMap(([field, names]) => names.split(/\s+/).map((name) => [folded(name), field])));
const VOCABULARY = /^(dc|dct|dcterms|dcmi|erc|datacite|schema|edm|ead|mods|marc|oai_dc|erc|lido|metadata)[:._/ -]+(?=.)/i;
const FORMER = new Set(["old", "former", "previous", "current", "alt", "alte", "alter", "altes", "bisherige", "bisheriger", "ancien", "ancienne", "antiguo", "antigua", "vecchio", "vecchia", "oud", "oude", "gammal", "stary", "stara"]);
const ENDING = /(innen|in|es|en|[sen])$/; // of plurals, and of women's professions
const EXACT = 4;
const PARTLY = 2;
const BY_CONTENT = 1;
const URL_LIKE = /^https?:\/\/\S+$/i;
const PID_LIKE = /^(https?:\/\/\S+\/)?(ark:\/?\d{5}\S*|doi:\s*10\.\S+|10\.\d{4,}\/\S+|hdl:\S+|lid:\S+|linkid:[0-9a-f-]{36})$/i;

// Returns the field of each column for an operation, "" for those that are left out. No field is used twice. `rows` are
// the first rows, `base` is the service's URL, which begins its PIDs.
export function guessFields(operation, header, rows = [], base = "") {
  const { fields, open } = OPERATIONS[operation];
  const hasResults = RESULTS.every((name) => header.includes(name)); // its status is that of a row
  const isOffered = (field) => (fields.includes(field) && !(hasResults && field === "status")) || (open && field.startsWith("metadata."));
  const guesses = header.flatMap((name, column) => {
    const cells = rows.map((row) => row[column]?.trim()).filter(Boolean);
    return [...byName(name), ...byContent(cells, base)].map(([field, score]) => ({ field, score, column }));
  });
  const result = header.map(() => "");
  const used = new Set();
  for (const { field, column } of guesses.filter(({ field }) => isOffered(field)).sort((a, b) => b.score - a.score)) {
    if (used.has(field) || result[column]) continue;
    result[column] = field;
    used.add(field);
  }
  return result;
}

// Returns what is wrong with a choice of fields: {missing: [field], repeated: [field]}.
export function checkFields(operation, chosen) {
  const { needed } = OPERATIONS[operation];
  const used = chosen.filter(Boolean);
  return {
    missing: needed.filter((field) => !used.includes(field)),
    repeated: [...new Set(used.filter((field, at) => used.indexOf(field) !== at))],
  };
}

// Returns the metadata field that keeps a column under its own name.
export function metadataField(name) {
  return name.startsWith("metadata.") ? name : `metadata.${name}`;
}

function byName(name) {
  if (OWN_NAMES.includes(name) || /^metadata\.\S/.test(name)) return [[name, EXACT]];
  const bare = name.replace(/[[(@].*$/, "").replace(VOCABULARY, "");
  const exact = [...new Set([FIELDS.get(folded(name)), FIELDS.get(folded(bare))])].filter(Boolean);
  if (exact.length) return exact.map((field) => [field, EXACT]);
  const words = bare.replace(/([a-z])([A-Z])/g, "$1 $2").split(/[^\p{L}\p{N}]+/u).map(folded).filter(Boolean);
  if (words.some((word) => FORMER.has(word))) return [];
  const found = words.map((word, at) => [FIELDS.get(word) ?? FIELDS.get(word.replace(ENDING, "")), PARTLY - at / 10]);
  return found.filter(([field]) => field);
}

function byContent(cells, base) {
  if (!cells.length) return [];
  if (cells.every((cell) => (base && cell.startsWith(`${base}/`)) || PID_LIKE.test(cell))) return [["pid", BY_CONTENT]];
  return cells.every((cell) => URL_LIKE.test(cell)) ? [["uri", BY_CONTENT]] : [];
}

// The letters and digits of a name in lower case, without accents.
function folded(name) {
  return name.normalize("NFKD").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
