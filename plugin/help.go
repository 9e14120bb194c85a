// Copyright 2026 The kubectl-sandbox Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import "github.com/spf13/cobra"

// usage is the template of the usage text. It leaves out the global flags, which `options` lists: two dozen lines would
// hide the flags of the command.
const usage = `Usage:
{{- if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND [flags]{{else}}
  {{.UseLine}}{{end}}
{{- if gt (len .Aliases) 0}}

Aliases:
  {{.NameAndAliases}}{{end}}
{{- if .HasExample}}

Examples:
{{.Example}}{{end}}
{{- if .HasAvailableSubCommands}}{{$commands := .Commands}}
{{- range $group := .Groups}}

{{.Title}}{{range $commands}}{{if and (eq .GroupID $group.ID) .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}
{{- $other := false}}{{range $commands}}{{if and (eq .GroupID "") .IsAvailableCommand}}{{$other = true}}{{end}}{{end}}
{{- if $other}}

Other:{{range $commands}}{{if and (eq .GroupID "") .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{end}}
{{- if .HasAvailableLocalFlags}}{{if .HasParent}}

Flags:
{{.LocalFlags.FlagUsagesWrapped 118 | trimTrailingWhitespaces}}{{end}}{{end}}
{{- if .HasHelpSubCommands}}

More help:{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}
  {{rpad .CommandPath .CommandPathPadding}} {{.Short}}{{end}}{{end}}{{end}}
{{- if .HasAvailableSubCommands}}

'{{.CommandPath}} COMMAND --help' tells more about a command.{{else}}
{{end}}
'{{.Root.CommandPath}} options' lists the flags that all commands have.
`

// setHelpTemplates gives all commands the same layout of help.
func setHelpTemplates(root *cobra.Command) {
	root.SetUsageTemplate(usage)
	root.SetHelpCommandGroupID("")
}
