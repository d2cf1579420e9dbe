// The fields of a record's content: the kernel's elements, the structured members of DataCite, locations and alternates.
// The names of structured members are those of DataCite's JSON, as the API takes them.
import {
  checkLanguage, checkMediaType, checkMoment, checkNeeded, checkQuality, checkTarget, checkWhole,
} from "../value-checks.js";

const text = {};
const texts = (...names) => Object.fromEntries(names.map((name) => [name, text]));
const list = (item) => ({ item });

// The elements of the kernel, in the order of the form; all others are added on demand.
export const KERNEL = {
  what: { label: "kernel-what" },
  who: { label: "kernel-who", hint: "kernel-who-hint" },
  when: { label: "kernel-when", hint: "kernel-when-hint" },
  type: { label: "kernel-type", hint: "kernel-type-hint" },
  where: { label: "kernel-where" },
  how: { label: "kernel-how" },
  license: { label: "kernel-license", hint: "kernel-license-hint" },
};

const IDENTIFIERS = list({ members: texts("nameIdentifier", "nameIdentifierScheme", "schemeUri") });
const AFFILIATIONS = list({ members: texts("name", "affiliationIdentifier", "affiliationIdentifierScheme") });
const PERSON = {
  ...texts("name", "nameType", "givenName", "familyName"),
  nameIdentifiers: IDENTIFIERS,
  affiliation: AFFILIATIONS,
};

// The members that the form offers to add, with their structure.
export const MEMBERS = {
  creators: list({ members: PERSON }),
  contributors: list({ members: { ...PERSON, contributorType: text } }),
  titles: list({ members: texts("title", "titleType", "lang") }),
  publisher: { members: texts("name", "publisherIdentifier", "publisherIdentifierScheme", "schemeUri", "lang") },
  publicationYear: text,
  subjects: list({ members: texts("subject", "subjectScheme", "schemeUri", "valueUri", "lang") }),
  dates: list({ members: texts("date", "dateType", "dateInformation") }),
  language: text,
  descriptions: list({ members: { description: { kind: "long" }, ...texts("descriptionType", "lang") } }),
  rightsList: list({ members: texts("rights", "rightsUri", "rightsIdentifier", "rightsIdentifierScheme", "lang") }),
  relatedIdentifiers: list({
    members: texts("relatedIdentifier", "relatedIdentifierType", "relationType", "resourceTypeGeneral"),
  }),
  fundingReferences: list({
    members: texts("funderName", "funderIdentifier", "funderIdentifierType", "awardNumber", "awardTitle", "awardUri"),
  }),
  geoLocations: list({ members: texts("geoLocationPlace") }),
  sizes: list(text),
  formats: list(text),
  version: text,
  description: { kind: "long" },
  keywords: list(text),
};

// Returns the form of the list of locations. `domains` are the hosts that the repository allows.
export function locationsForm(domains) {
  const members = {
    uri: { label: "location-uri", check: (value) => checkTarget(value, domains) },
    status: { label: "location-status", kind: "choice", options: ["active", "inactive"] },
    mediaType: { label: "location-type", hint: "location-type-hint", check: checkMediaType },
    language: { label: "location-language", hint: "location-language-hint", check: checkLanguage },
    quality: { label: "location-quality", hint: "location-quality-hint", kind: "number", check: checkQuality },
    validFrom: { label: "location-from", hint: "location-moment-hint", kind: "moment", check: checkMoment },
    validUntil: { label: "location-until", hint: "location-moment-hint", kind: "moment", check: checkMoment },
    version: { label: "location-version" },
    size: { label: "location-size", kind: "number", check: checkWhole },
    lastModified: { label: "location-modified", hint: "location-moment-hint", kind: "moment", check: checkMoment },
    checksum: { label: "location-checksum", members: { algorithm: { label: "checksum-algorithm" }, value: { label: "checksum-value" } } },
  };
  const more = Object.keys(members).filter((name) => !["uri", "status"].includes(name));
  return { one: "location-one", item: { members, more } };
}

export const ALTERNATES = {
  hint: "alternates-hint",
  one: "alternate-one",
  item: {
    members: {
      scheme: { label: "alternate-scheme", check: checkNeeded },
      identifier: { label: "alternate-identifier", check: checkNeeded },
    },
  },
};
