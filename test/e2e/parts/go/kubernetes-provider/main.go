// Command pulumi-resource-kubernetes serves the Kubernetes provider of github.com/pulumi/pulumi-kubernetes.
//
// The module's own main package embeds a schema file that lacks the version field which its release
// build adds; here the build copies the module's files beside this one and adds it.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

// version is set by the linker and matches the @pulumi/kubernetes package that the project pins.
var version string

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var mapping []byte

func main() {
	provider.Serve("kubernetes", version, schema, mapping)
}
