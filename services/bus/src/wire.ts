import type { RealtimeMessage } from '@capstan/contract/events'

/** Required members of each kind of message. Payloads are not checked, because only our processes can publish. */
const members: Record<RealtimeMessage['kind'], Readonly<Record<string, 'number' | 'string' | 'object'>>> = {
  notice: { gameId: 'number', payload: 'object' },
  event: { gameId: 'number', payload: 'object' },
  submission: { gameId: 'number', payload: 'object' },
  log: { payload: 'object' },
  'sessions-ended': { userId: 'string' },
  'instance-ended': { instanceId: 'string' },
  'instance-moved': { instanceId: 'string', from: 'object' },
  'instance-crowded': { instanceId: 'string' },
  'team-instances': { gameId: 'number', userIds: 'object' },
  ticket: { gameId: 'number', userIds: 'object' },
  'gateway-clients': { gatewayId: 'string', rooms: 'object' },
}

/**
 * Parses a message.
 * @returns undefined if the message is invalid or has an unknown kind, which another version may publish during an upgrade
 */
export function parseRealtimeMessage(text: string): RealtimeMessage | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return isRealtimeMessage(value) ? value : undefined
}

function isRealtimeMessage(value: unknown): value is RealtimeMessage {
  if (!isRecord(value)) return false
  const { kind } = value
  if (typeof kind !== 'string' || !Object.hasOwn(members, kind)) return false
  const expected = members[kind as RealtimeMessage['kind']]
  return Object.entries(expected).every(([name, type]) => typeof value[name] === type && value[name] !== null)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
