import type { SolvedChallenge } from '@capstan/contract/scoreboard'
import { type BloodPlace, bloodPlace, bloodUnits, createBloodPath } from '../../components/ui/blood-shape.ts'

const markSize = 18
export const markScale = markSize / bloodUnits
/** Diameter of the dot for a normal solve, in the units of `bloodUnits`. */
export const dotSize = 7.2

/** Line width of the ring that shows a solve after the freeze, in the units of `bloodUnits`. */
export const ringStroke = 1.4

/**
 * Solves of a team as four paths. One path contains the solves without blood, as points with round line caps. Each other path
 * contains the solves with one kind of blood.
 */
export type RowMarks = Readonly<{
  solves: string
  bloods: readonly Readonly<{ place: BloodPlace; path: string }>[]
}>

function tenths(value: number) {
  return Math.round(value * 10) / 10
}

/**
 * Returns the marks of a row as four paths, because one element per mark would be slow.
 * @param places column index by challenge id
 * @param cell width and height, in pixels
 */
export function createRowMarks(
  solves: Iterable<SolvedChallenge>,
  places: ReadonlyMap<number, number>,
  cell: Readonly<{ width: number; height: number }>,
): RowMarks {
  const paths = ['', '', '', '']
  const y = tenths(cell.height / 2 / markScale)
  for (const { id, type } of solves) {
    const column = places.get(id)
    if (column === undefined) continue
    const x = tenths(((column + 0.5) * cell.width) / markScale)
    const place = bloodPlace(type)
    paths[place ?? 0] += place ? createBloodPath(place, x, y) : `M${x} ${y}h0`
  }
  const [plain = '', ...bloods] = paths
  return {
    solves: plain,
    bloods: bloods.flatMap((path, index) => (path ? [{ place: (index + 1) as BloodPlace, path }] : [])),
  }
}

/** Returns one path that contains all rings. A ring marks a solve that the frozen board does not contain. */
export function createRingPath(
  challengeIds: readonly number[],
  places: ReadonlyMap<number, number>,
  cell: Readonly<{ width: number; height: number }>,
): string {
  const radius = (dotSize - ringStroke) / 2
  const y = tenths(cell.height / 2 / markScale)
  return challengeIds
    .flatMap((id) => places.get(id) ?? [])
    .map((column) => {
      const left = tenths(((column + 0.5) * cell.width) / markScale - radius)
      return `M${left} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`
    })
    .join('')
}
