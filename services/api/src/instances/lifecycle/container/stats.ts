import type { ResourceAmount } from '../runtime.ts'

/** Fields that both docker and podman provide: name, share of one core, used memory, and memory limit. */
export const statsFormat = '{{.Name}} {{.CPUPerc}} {{.MemUsage}}'

const unitBytes: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
}

const pattern = /^(\S+) ([\d.]+)% ([\d.]+) ?([kKMG]?i?B) \//

/** Parses one line of `stats` in our format. @returns undefined if the container is not running */
export function parseStatsLine(line: string): (ResourceAmount & { readonly name: string }) | undefined {
  const [, name = '', percent, amount, unit = ''] = pattern.exec(line) ?? []
  const bytes = Number(amount) * (unitBytes[unit] ?? Number.NaN)
  if (Number.isNaN(bytes)) return undefined
  return { name, cpuMillicores: Math.round(Number(percent) * 10), memoryBytes: Math.round(bytes) }
}
