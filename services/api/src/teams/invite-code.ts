import type { Random } from '../signing/random.ts'

const tokenBytes = 16

/** New changing part of an invitation code: 32 hex digits. */
export const createInviteToken = (random: Random): string => random.hex(tokenBytes)

/** `{name}:{id}:{32 hex}`; the name is decoration and may be old. Behaviour §6. */
export const formatInviteCode = (team: { readonly name: string; readonly id: number; readonly inviteToken: string }): string =>
  `${team.name}:${team.id}:${team.inviteToken}`

/** @returns what of a code is checked; undefined when it has another form */
export const parseInviteCode = (code: string): { id: number; token: string } | undefined => {
  const [, id = '', token = ''] = /^.+:(\d{1,10}):([0-9a-f]{32})$/s.exec(code.trim()) ?? []
  return token === '' || Number(id) > 2_147_483_647 ? undefined : { id: Number(id), token }
}
