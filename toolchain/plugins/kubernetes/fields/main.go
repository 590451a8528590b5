// Command fields writes fields.txt: what Kubernetes' own Go types say about the fields of an object and its OpenAPI
// schema does not, namely which zero values are left out. The official plugin passes inputs through these types.
//
//	go run . > ../fields.txt
package main

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	lines := map[string]string{}
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		_, isObject := typ.FieldByName("ObjectMeta")
		if gvk.Version == runtime.APIVersionInternal || !isObject {
			continue
		}
		name := strings.TrimPrefix(gvk.GroupVersion().String()+"/"+gvk.Kind, "/")
		lines[name] = name + fields(typ, lines)
	}
	names := make([]string, 0, len(lines))
	for name := range lines {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintln(os.Stdout, lines[name])
	}
}

// fields lists the fields of a struct; those of an inlined struct belong to it.
func fields(typ reflect.Type, lines map[string]string) string {
	var all strings.Builder
	for i := range typ.NumField() {
		field := typ.Field(i)
		tag := strings.Split(field.Tag.Get("json"), ",")
		switch {
		case tag[0] == "-":
		case tag[0] == "" && field.Type.Kind() == reflect.Pointer:
			all.WriteString(fields(field.Type.Elem(), lines))
		case tag[0] == "":
			all.WriteString(fields(field.Type, lines))
		default:
			fmt.Fprintf(&all, " %s:%s%s", tag[0], omits(field.Type, tag[1:]), merges(field.Tag, code(tag[0], field.Type, lines)))
		}
	}
	return all.String()
}

// omits is "?" for a field whose zero value is left out, and "*" for one that is left out only when it is null.
func omits(typ reflect.Type, options []string) string {
	switch {
	case slices.Contains(options, "omitzero"):
		return "?"
	case !slices.Contains(options, "omitempty") || typ.Kind() == reflect.Struct:
		return ""
	case typ.Kind() == reflect.Pointer:
		return "*"
	default:
		return "?"
	}
}

// merges adds how a strategic merge patch treats the field: a list with "[name]" has its elements merged by their name,
// one with "[+]" is a set, "~" is for maps whose keys must all be named, "=" for those replaced as a whole.
// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
func merges(tag reflect.StructTag, code string) string {
	strategies := strings.Split(tag.Get("patchStrategy"), ",")
	if rest, isList := strings.CutPrefix(code, "[]"); isList && slices.Contains(strategies, "merge") {
		key := tag.Get("patchMergeKey")
		if key == "" {
			key = "+"
		}
		code = "[" + key + "]" + rest
	}
	switch {
	case slices.Contains(strategies, "retainKeys"):
		return "~" + code
	case slices.Contains(strategies, "replace"):
		return "=" + code
	default:
		return code
	}
}

func code(name string, typ reflect.Type, lines map[string]string) string {
	if typ.Kind() == reflect.Pointer {
		return code(name, typ.Elem(), lines)
	}
	// a server sets these, a program does not
	if name == "status" && typ.Kind() == reflect.Struct || name == "managedFields" {
		return "any"
	}
	switch typ {
	case reflect.TypeFor[resource.Quantity]():
		return "quantity"
	case reflect.TypeFor[intstr.IntOrString]():
		return "intOrString"
	case reflect.TypeFor[metav1.Time]():
		return "time"
	case reflect.TypeFor[[]byte]():
		return "string"
	}
	if reflect.PointerTo(typ).Implements(reflect.TypeFor[interface{ UnmarshalJSON([]byte) error }]()) {
		return "any"
	}
	switch typ.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8:
		return "int"
	case reflect.Float64, reflect.Float32:
		return "float"
	case reflect.Slice:
		return "[]" + code("", typ.Elem(), lines)
	case reflect.Map:
		return "{}" + code("", typ.Elem(), lines)
	case reflect.Struct:
		id := strings.ReplaceAll(strings.TrimPrefix(typ.PkgPath(), "k8s.io/"), "apimachinery/pkg/apis/", "") + "." + typ.Name()
		if _, known := lines[id]; !known {
			lines[id] = id
			lines[id] = id + fields(typ, lines)
		}
		return "@" + id
	}
	return "any"
}
