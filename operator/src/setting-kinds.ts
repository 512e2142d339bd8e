import { isIP } from 'node:net'
import { createSettingKind, type Kind, list } from '@capstan/settings/kinds'
import type { NodePortRange } from './challenge-instance/node-ports.ts'
import type { Toleration } from './challenge-instance/settings.ts'

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

export function createLabelsSettingKind(example: string): Kind<Record<string, string>> {
  return createSettingKind('labels name=value, separated by commas', example, (given) => {
    const pairs = given
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((pair) => pair.split('='))
    if (pairs.some((pair) => pair.length !== 2 || pair[0] === '')) return undefined
    return Object.fromEntries(pairs.map(([label, value]) => [label, value ?? '']))
  })
}

/**
 * Parses IPv4 or IPv6 networks. Rejects a network that contains all addresses. Network policies list these networks as exceptions,
 * and an exception must be smaller than the range of its rule.
 */
export function createNetworksSettingKind(example: string): Kind<readonly string[]> {
  return list('networks like 192.0.2.0/24', example, isCidr)
}

export const portRange: Kind<NodePortRange> = createSettingKind('two ports, the smaller one first', '30000-30099', (given) => {
  const [, first, last] = (/^([0-9]+)-([0-9]+)$/.exec(given) ?? []).map(Number)
  if (first === undefined || last === undefined) return undefined
  return first >= 1 && first <= last && last <= 65_535 ? { first, last } : undefined
})

export const tolerations: Kind<Toleration[]> = createSettingKind(
  'a JSON array of Kubernetes tolerations',
  '[{"key":"pool","operator":"Equal","value":"arena","effect":"NoSchedule"}]',
  (given) => {
    const value = parseJson(given)
    return Array.isArray(value) && value.every(isToleration) ? value : undefined
  },
)

function isCidr(text: string): boolean {
  const match = /^([0-9a-fA-F.:]+)\/([0-9]{1,3})$/.exec(text)
  const [, address, length] = match ?? []
  if (address === undefined) return false
  const family = isIP(address)
  return family !== 0 && Number(length) >= 1 && Number(length) <= (family === 4 ? 32 : 128)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** True if the API server accepts the toleration. With an invalid toleration, the API server would refuse every pod. */
function isToleration(value: unknown): value is Toleration {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { key, operator = 'Equal', value: wanted, effect, tolerationSeconds, ...unknown } = value as Record<string, unknown>
  if (Object.keys(unknown).length > 0) return false
  const isText = (part: unknown) => part === undefined || typeof part === 'string'
  if (!isText(key) || !isText(wanted)) return false
  if (operator !== 'Exists' && (operator !== 'Equal' || !key)) return false
  if (operator === 'Exists' && wanted) return false
  if (effect !== undefined && effect !== '' && !taintEffects.some((each) => each === effect)) return false
  return tolerationSeconds === undefined || (Number.isInteger(tolerationSeconds) && effect === 'NoExecute')
}
