import { isRecord, toText } from '../record.ts'

/** Merges two mappings of a compose file, as `extends` and override files do. */

/** Fields whose later value replaces the earlier value, even if both values are lists. Lists in other fields are joined. */
const replaced = new Set(['command', 'entrypoint', 'test'])

/** Fields whose value is a mapping or a list of `NAME=value`. */
const named = new Set(['environment', 'labels', 'args', 'extra_hosts', 'sysctls', 'annotations'])

/** Fields whose value is a mapping by name, or a list of names. */
const keyed = new Set(['networks', 'depends_on'])

function asMapping(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return Object.fromEntries(
    value.map((entry): [string, unknown] => {
      const text = toText(entry)
      const at = text.indexOf('=')
      return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
    }),
  )
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** Returns the path in the container where a volume is mounted. A later volume replaces an earlier volume with the same path. */
function targetOf(volume: unknown): unknown {
  if (isRecord(volume)) return volume.target
  const parts = toText(volume).split(':')
  return parts[1] ?? parts[0]
}

function mergedField(key: string, before: unknown, after: unknown): unknown {
  if (after === undefined || after === null) return before
  if (before === undefined || before === null || replaced.has(key)) return after
  const isNamed = named.has(key) || (keyed.has(key) && (isRecord(before) || isRecord(after)))
  const [left, right] = isNamed ? [asMapping(before), asMapping(after)] : [before, after]
  if (key === 'build' && typeof right === 'string') return isRecord(left) ? { ...left, context: right } : right
  if (key === 'build' && typeof left === 'string' && isRecord(right)) return { context: left, ...right }
  if (isRecord(left) && isRecord(right)) return mergeMappings(left, right)
  if (key === 'volumes' && Array.isArray(left) && Array.isArray(right)) {
    const targets = new Set(right.map(targetOf))
    return [...left.filter((each) => !targets.has(targetOf(each))), ...right]
  }
  if (Array.isArray(left) || Array.isArray(right)) {
    const seen = new Set<string>()
    return [...asList(left), ...asList(right)].filter((each) => {
      const text = JSON.stringify(each)
      return !seen.has(text) && seen.add(text)
    })
  }
  return right
}

export function mergeMappings(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(keys.map((key) => [key, mergedField(key, before[key], after[key])]))
}
