import { paths } from '../../lib/paths.ts'

type Invitation = Readonly<{
  /** Invitation code in the form that the server expects. */
  code: string
  teamId: number
  /** Name of the team when the code was copied. The team may have been renamed since. */
  teamName: string
}>

/** Splits a code at its last two colons into name, id and token. */
function split(code: string): { name: string; id: string; token: string } | undefined {
  const parts = code.split(':')
  const token = parts.pop() ?? ''
  const id = parts.pop() ?? ''
  const name = parts.join(':')
  return name !== '' && /^\d+$/.test(id) && /^[0-9a-f]{32}$/.test(token) ? { name, id, token } : undefined
}

/**
 * Parses `{team name}:{team id}:{32 hex digits}`. Names may contain colons.
 * @returns undefined for anything else
 */
export function parseInvitationCode(text: string): Invitation | undefined {
  const code = text.trim()
  const parts = split(code)
  if (!parts || !/^[1-9]\d{0,9}$/.test(parts.id)) return undefined
  return { code, teamName: parts.name, teamId: Number(parts.id) }
}

/**
 * Splits a code into name, id and token for display. Each part includes its colon. Only the name may be written from right to
 * left.
 */
export function splitInvitationCode(code: string): readonly string[] {
  const parts = split(code)
  return parts ? [parts.name, `:${parts.id}`, `:${parts.token}`] : [code]
}

const key = 'join'

/** Returns the address of the teams page with the code in the fragment. Servers never log the fragment. */
export function createInvitationLink(code: string): string {
  return `${location.origin}${paths.teams.to()}#${new URLSearchParams({ [key]: code })}`
}

/** Returns the code in the fragment of an address, or an empty text if there is none. */
export function findCodeInFragment(fragment: string): string {
  return new URLSearchParams(fragment.replace(/^#/, '')).get(key) ?? ''
}
