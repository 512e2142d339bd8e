import { InputLimits } from '@capstan/contract/limits'
import type { Random } from '../../rules/signing/random.ts'

const tokenBytes = 16

export function createInviteToken(random: Random): string {
  return random.hex(tokenBytes)
}

/**
 * Returns `{name}:{id}:{32 hex}`. The name is only informative and may be outdated. Rules: docs/contract/teams.md#invitation-codes.
 */
export function formatInviteCode(team: Readonly<{ name: string; id: number; inviteToken: string }>): string {
  return `${team.name}:${team.id}:${team.inviteToken}`
}

/** @returns the team id and the token of a code, or undefined if the code is malformed */
export function parseInviteCode(code: string): { id: number; token: string } | undefined {
  const parts = code.trim().split(':')
  // The name is not empty and may contain colons.
  const [token = '', id = '', ...name] = parts.toReversed()
  const hasForm = /^[0-9a-f]{32}$/.test(token) && /^\d{1,10}$/.test(id) && name.join(':') !== ''
  return hasForm && Number(id) <= InputLimits.maxInt32 ? { id: Number(id), token } : undefined
}
