import { InputLimits } from '@capstan/contract/limits'
import type { Random } from '../../rules/signing/random.ts'

const tokenBytes = 16

/** New changing part of an invitation code: 32 hex digits. */
export function createInviteToken(random: Random): string {
  return random.hex(tokenBytes)
}

/** `{name}:{id}:{32 hex}`; the name is decoration and may be old. Rules: docs/contract/teams.md#invitation-codes. */
export function formatInviteCode(team: { readonly name: string; readonly id: number; readonly inviteToken: string }): string {
  return `${team.name}:${team.id}:${team.inviteToken}`
}

/** @returns what of a code is checked; undefined when it has another form */
export function parseInviteCode(code: string): { id: number; token: string } | undefined {
  const parts = code.trim().split(':')
  // The name may be anything but nothing, and have colons of its own.
  const [token = '', id = '', ...name] = parts.toReversed()
  const hasForm = /^[0-9a-f]{32}$/.test(token) && /^\d{1,10}$/.test(id) && name.join(':') !== ''
  return hasForm && Number(id) <= InputLimits.int32Max ? { id: Number(id), token } : undefined
}
