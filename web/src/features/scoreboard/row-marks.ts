import type { SolvedChallenge } from '@capstan/contract/scoreboard'
import { type BloodPlace, bloodPath, bloodPlace, bloodUnits } from '../../components/ui/blood-shape.ts'

/** Of the marks in a row, pixels. */
const markSize = 18
/** Pixels of one unit of the mark's shape. */
export const markScale = markSize / bloodUnits
/** Of a plain solve, in units of the mark's shape. */
export const dotSize = 7.2

/** All solves of a team as paths: one for plain solves, whose points become dots by round ends of lines, and one for each place. */
export type RowMarks = Readonly<{
  solves: string
  bloods: readonly { readonly place: BloodPlace; readonly path: string }[]
}>

function tenths(value: number) {
  return Math.round(value * 10) / 10
}

/**
 * A row has its marks in four elements instead of one each.
 * @param places columns by challenge
 * @param cell width and height, pixels
 */
export function rowMarks(
  solves: Iterable<SolvedChallenge>,
  places: ReadonlyMap<number, number>,
  cell: { readonly width: number; readonly height: number },
): RowMarks {
  const paths = ['', '', '', '']
  const y = tenths(cell.height / 2 / markScale)
  for (const { id, type } of solves) {
    const column = places.get(id)
    if (column === undefined) continue
    const x = tenths(((column + 0.5) * cell.width) / markScale)
    const place = bloodPlace(type)
    paths[place ?? 0] += place ? bloodPath(place, x, y) : `M${x} ${y}h0`
  }
  const [plain = '', ...bloods] = paths
  return {
    solves: plain,
    bloods: bloods.flatMap((path, index) => (path ? [{ place: (index + 1) as BloodPlace, path }] : [])),
  }
}
