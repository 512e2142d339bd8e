/** Distances in the picture of containers, in px. */
export const rowHeight = 56
const labelHeight = 18
const laneGap = 22
const narrowLaneGap = 14
const maxWideLanes = 4
const maxPorts = 2

type DrawnContainer = Readonly<{
  networks: readonly string[]
  /** Ports for players. */
  ports: readonly string[]
}>

/** Vertical line that represents a network or the players. */
type Lane = Readonly<{
  x: number
  top: number
  bottom: number
  /** Vertical positions at which containers connect to the line, in px. */
  stops: readonly number[]
}>

type ContainersPicture = Readonly<{
  /** Height of the labels above the containers. */
  headHeight: number
  height: number
  lanesWidth: number
  networks: readonly (Lane & Readonly<{ name: string; labelY: number }>)[]
  /** Line that represents the players. Undefined if players cannot connect to any container. */
  players: Omit<Lane, 'x'> | undefined
  /** Labels with the ports for players, by container. */
  portLabels: readonly string[]
}>

function middleOf(row: number, headHeight: number): number {
  return headHeight + row * rowHeight + rowHeight / 2
}

/** Returns the first ports and the number of omitted ones, such as `80, 81 +2`. */
function portLabelOf(ports: readonly string[]): string {
  const others = ports.length - maxPorts
  return [ports.slice(0, maxPorts).join(', '), ...(others > 0 ? [`+${others}`] : [])].join(' ')
}

/**
 * Returns the picture of a challenge: a row for each container, and a vertical line for each network. The labels of the lines
 * are above the rows, at different heights, so that long names do not overlap.
 */
export function layOutContainersPicture(containers: readonly DrawnContainer[]): ContainersPicture {
  const names = [...new Set(containers.flatMap(({ networks }) => networks))]
  const gap = names.length > maxWideLanes ? narrowLaneGap : laneGap
  const headHeight = (names.length + 1) * labelHeight
  const stopsOf = (isOn: (container: DrawnContainer) => boolean) =>
    containers.flatMap((container, row) => (isOn(container) ? [middleOf(row, headHeight)] : []))
  const networks = names.map((name, index) => {
    const stops = stopsOf((container) => container.networks.includes(name))
    const labelY = (names.length - 1 - index) * labelHeight + labelHeight / 2
    return { name, x: (index + 1) * gap, top: labelY, bottom: Math.max(...stops), labelY, stops }
  })
  const published = stopsOf(({ ports }) => ports.length > 0)
  return {
    headHeight,
    height: headHeight + containers.length * rowHeight,
    lanesWidth: (names.length + 0.5) * gap,
    networks,
    players: published.length > 0 ? { top: headHeight, bottom: Math.max(...published), stops: published } : undefined,
    portLabels: containers.map(({ ports }) => portLabelOf(ports)),
  }
}
