// Command log_verifier checks a transparency log that coolid wrote, with golang.org/x/mod/sumdb/{note,tlog}.
//
//	log_verifier log LOG PROOFS KEY WITNESS…  a log, by its URL or directory, and a directory with proofs/*.tlog-proof and
//	                                          consistency/*
//	log_verifier notes                        one line on standard output for each note on standard input: true or false
//
// The root is computed from the entries alone. Every tile must be the one that the entries give, every proof must hold.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8 // of a tile

func main() {
	if os.Args[1] == "notes" {
		judgeNotes()
		return
	}
	keys := []note.Verifier{must(note.NewVerifier(os.Args[4]))}
	for _, key := range os.Args[5:] {
		keys = append(keys, must(newWitness(key)))
	}
	checkLog(served(os.Args[2]), os.Args[3], note.VerifierList(keys...), len(keys))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func require(condition bool, format string, values ...any) {
	if !condition {
		panic(fmt.Sprintf(format, values...))
	}
}

// stored has all hashes of a tree, in the order of tlog.StoredHashIndex.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = s[index]
	}
	return hashes, nil
}

// served is the URL or the directory of a log; it reads tiles for tlog.TileHashReader.
type served string

func (s served) read(path string) ([]byte, error) {
	if !strings.HasPrefix(string(s), "http") {
		return os.ReadFile(filepath.Join(string(s), path))
	}
	response, err := http.Get(string(s) + "/" + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}

func (s served) Height() int { return height }

func (s served) SaveTiles([]tlog.Tile, [][]byte) {}

func (s served) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var contents [][]byte
	for _, tile := range tiles {
		content, err := s.read(filePath(tile))
		if err != nil {
			return nil, err
		}
		contents = append(contents, content)
	}
	return contents, nil
}

// filePath returns the path of a tile (C2SP tlog-tiles), without the height and with another word for entries.
func filePath(tile tlog.Tile) string {
	path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
	return strings.Replace(path, "tile/data/", "tile/entries/", 1)
}

func checkLog(log served, directory string, keys note.Verifiers, signatures int) {
	tree := readCheckpoint(must(log.read("checkpoint")), keys, signatures)
	hashes, entries := readEntries(log, tree.N)
	require(must(tlog.TreeHash(tree.N, hashes)) == tree.Hash, "the entries have another root than the checkpoint")
	for _, tile := range tlog.NewTiles(height, 0, tree.N) {
		content := must(log.read(filePath(tile)))
		require(bytes.Equal(content, must(tlog.ReadTileData(tile, hashes))), "%s is wrong", filePath(tile))
	}
	reader := tlog.TileHashReader(tree, log)
	inclusions := must(filepath.Glob(filepath.Join(directory, "proofs", "*.tlog-proof")))
	for _, file := range inclusions {
		index := checkInclusion(must(os.ReadFile(file)), keys, entries)
		proof := must(tlog.ProveRecord(tree.N, index, reader))
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entries[index])); err != nil {
			panic(err)
		}
	}
	consistencies := must(filepath.Glob(filepath.Join(directory, "consistency", "*")))
	for _, file := range consistencies {
		lines, older, _ := bytes.Cut(must(os.ReadFile(file)), []byte("\n\n"))
		old := readCheckpoint(older, keys, 1)
		require(old.Hash == must(tlog.TreeHash(old.N, hashes)), "the log had another root at %d", old.N)
		if err := tlog.CheckTree(readHashes(strings.Fields(string(lines))), tree.N, tree.Hash, old.N, old.Hash); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%d entries, %d inclusion proofs, %d consistency proofs\n", tree.N, len(inclusions), len(consistencies))
}

func readCheckpoint(octets []byte, keys note.Verifiers, signatures int) tlog.Tree {
	opened := must(note.Open(octets, keys))
	require(len(opened.Sigs) >= signatures, "%d of %d signatures", len(opened.Sigs), signatures)
	lines := strings.Split(opened.Text, "\n")
	require(len(lines) == 4 && lines[0] == opened.Sigs[0].Name, "the checkpoint is %q", opened.Text)
	return tlog.Tree{N: must(strconv.ParseInt(lines[1], 10, 64)), Hash: must(tlog.ParseHash(lines[2]))}
}

// readEntries returns the entries of all bundles, and all hashes of their tree.
func readEntries(log served, size int64) (stored, [][]byte) {
	var hashes stored
	var entries [][]byte
	for start := int64(0); start < size; start += 1 << height {
		tile := tlog.Tile{H: height, L: -1, N: start >> height, W: int(min(1<<height, size-start))}
		bundle := must(log.read(filePath(tile)))
		for range tile.W {
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			hashes = append(hashes, must(tlog.StoredHashes(int64(len(entries)), bundle[2:end], hashes))...)
			entries = append(entries, bundle[2:end])
			bundle = bundle[end:]
		}
		require(len(bundle) == 0, "%s is too long", filePath(tile))
	}
	return hashes, entries
}

// checkInclusion checks a proof (C2SP tlog-proof), which has its own checkpoint, and returns the index in it.
func checkInclusion(octets []byte, keys note.Verifiers, entries [][]byte) int64 {
	head, checkpoint, _ := bytes.Cut(octets, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	require(lines[0] == "c2sp.org/tlog-proof@v1", "the proof begins with %q", lines[0])
	index := must(strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64))
	tree := readCheckpoint(checkpoint, keys, 1)
	if err := tlog.CheckRecord(readHashes(lines[2:]), tree.N, tree.Hash, index, tlog.RecordHash(entries[index])); err != nil {
		panic(err)
	}
	return index
}

func readHashes(lines []string) []tlog.Hash {
	var hashes []tlog.Hash
	for _, line := range lines {
		hashes = append(hashes, must(tlog.ParseHash(line)))
	}
	return hashes
}

// witness verifies cosignatures (C2SP tlog-cosignature), which golang.org/x/mod does not.
type witness struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func newWitness(text string) (*witness, error) {
	parts := strings.SplitN(text, "+", 3)
	material := must(base64.StdEncoding.Strict().DecodeString(parts[2]))
	digest := sha256.Sum256([]byte(parts[0] + "\n" + string(material)))
	if material[0] != 4 || len(material) != 1+ed25519.PublicKeySize || hex.EncodeToString(digest[:4]) != parts[1] {
		return nil, fmt.Errorf("%q is no key of a witness", text)
	}
	return &witness{parts[0], binary.BigEndian.Uint32(digest[:4]), material[1:]}, nil
}

func (w *witness) Name() string { return w.name }

func (w *witness) KeyHash() uint32 { return w.hash }

func (w *witness) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	message := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(signature), text)
	return ed25519.Verify(w.key, []byte(message), signature[8:])
}

// judgeNotes reads lines of a key and a note in base64, and prints whether note.Open accepts each.
func judgeNotes() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		key, encoded, _ := strings.Cut(lines.Text(), " ")
		verifier, err := note.NewVerifier(string(must(base64.StdEncoding.DecodeString(key))))
		if err == nil {
			_, err = note.Open(must(base64.StdEncoding.DecodeString(encoded)), note.VerifierList(verifier))
		}
		fmt.Println(err == nil)
	}
}
