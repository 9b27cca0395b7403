package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	modulePath = "github.com/ramz-verify/ramz/sdks/go"
	// Bytes that a program grows by that calls the service through the SDK, and not by net/http and encoding/json. It was 373,000
	// with Go 1.26, and 3.5 million while the module needed protobuf.
	mostGrowth = 600_000
)

const withoutSDK = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func main() {
	response, err := http.Get("https://verify.example/v1/account")
	if err != nil {
		panic(err)
	}
	var account struct{ ID string }
	fmt.Println(json.NewDecoder(response.Body).Decode(&account), account)
}
`

const withSDK = `package main

import (
	"context"
	"fmt"

	ramz "` + modulePath + `"
)

func main() {
	client, err := ramz.NewClient()
	if err != nil {
		panic(err)
	}
	session, err := client.Verify.Send(context.Background(), &ramz.SendRequest{To: "+213550000001"})
	if err != nil {
		panic(err)
	}
	fmt.Println(client.Verify.Check(context.Background(), &ramz.CheckRequest{ID: session.ID, Code: "000000"}))
}
`

// A program that takes the SDK takes nothing else with it: no module, and little weight.
func TestNothingElseIsNeeded(t *testing.T) {
	folder := t.TempDir()
	source := strings.TrimSpace(goCommand(t, ".", "list", "-m", "-f", "{{.Dir}}", modulePath))
	for name, text := range map[string]string{
		"go.mod":          "module size\n\ngo 1.24\n\nrequire " + modulePath + " v0.1.0\n\nreplace " + modulePath + " => " + source + "\n",
		"without/main.go": withoutSDK,
		"with/main.go":    withSDK,
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	if modules := strings.Split(strings.TrimSpace(goCommand(t, folder, "list", "-m", "all")), "\n"); len(modules) != 2 {
		t.Errorf("beside the program and the SDK: %q", modules)
	}
	goCommand(t, folder, "build", "-ldflags=-s -w", "-o", filepath.Join(folder, "bin")+"/", "./without", "./with")
	growth := size(t, filepath.Join(folder, "bin", "with")) - size(t, filepath.Join(folder, "bin", "without"))
	t.Logf("a program grows by %d bytes", growth)
	if growth > mostGrowth {
		t.Errorf("a program grows by %d bytes, more than %d", growth, mostGrowth)
	}
}

func size(t *testing.T, program string) int64 {
	t.Helper()
	file, err := os.Stat(program)
	must(t, err)
	return file.Size()
}

func goCommand(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command := exec.Command("go", args...)
	command.Dir = folder
	var problem strings.Builder
	command.Stderr = &problem
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, problem.String())
	}
	return string(output)
}
