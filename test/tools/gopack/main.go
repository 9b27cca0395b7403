// gopack packs a Go module the way the module proxy serves it, into a folder that GOPROXY=file://… can name.
//
//	go run ./gopack <folder of the module> <version> <folder of the proxy>
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: gopack <folder of the module> <version> <folder of the proxy>")
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func pack(source, version, proxy string) error {
	goMod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	own := module.Version{Path: modfile.ModulePath(goMod), Version: version}
	escaped, err := module.EscapePath(own.Path)
	if err != nil {
		return err
	}
	folder := filepath.Join(proxy, escaped, "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range map[string]string{
		"list":            version + "\n",
		version + ".info": fmt.Sprintf("{\"Version\":%q}", version),
		version + ".mod":  string(goMod),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	file, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		return err
	}
	defer file.Close()
	// Refuses what the proxy would: odd names, files too large, go.mod of another name.
	return zip.CreateFromDir(file, own, source)
}
