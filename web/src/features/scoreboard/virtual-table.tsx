// biome-ignore-all lint/a11y/useSemanticElements: of a virtual table only a part exists; table elements cannot be laid out so
// biome-ignore-all lint/a11y/useFocusableInteractive: cells and headings do nothing; the buttons in them take the focus
import type { ComponentProps } from 'react'

type Part = ComponentProps<'div'>

/** The parts of a table by role, for tables whose rows are placed one by one. */
export const VirtualTable = (props: Part) => <div {...props} role="table" />
export const RowGroup = (props: Part) => <div {...props} role="rowgroup" />
export const Row = (props: Part) => <div {...props} role="row" />
export const Cell = (props: Part) => <div {...props} role="cell" />
export const RowHeader = (props: Part) => <div {...props} role="rowheader" />
export const ColumnHeader = (props: Part) => <div {...props} role="columnheader" />
