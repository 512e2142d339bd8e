// biome-ignore-all lint/a11y/useSemanticElements: a virtual table contains only some rows, and table elements cannot be placed freely
// biome-ignore-all lint/a11y/useFocusableInteractive: cells and headings do nothing; the buttons in them take the focus
import type { ComponentProps } from 'react'

type Part = ComponentProps<'div'>

/** Table elements with ARIA roles, for tables whose rows have absolute positions. */
export function VirtualTable(props: Part) {
  return <div {...props} role="table" />
}
export function VirtualRowGroup(props: Part) {
  return <div {...props} role="rowgroup" />
}
export function VirtualRow(props: Part) {
  return <div {...props} role="row" />
}
export function VirtualCell(props: Part) {
  return <div {...props} role="cell" />
}
export function VirtualRowHeader(props: Part) {
  return <div {...props} role="rowheader" />
}
export function VirtualColumnHeader(props: Part) {
  return <div {...props} role="columnheader" />
}
