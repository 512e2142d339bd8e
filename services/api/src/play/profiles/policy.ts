import type { Role } from '@capstan/contract/common'
import { hasRole } from '@capstan/contract/roles'

/** Who looks at a page. */
export type Viewer = Readonly<{
  id: string
  role: Role
}>

/** Whose pages are open to somebody: everybody's, or those that are public and their own. */
export type Sight = Readonly<{
  seesAll: boolean
  /** Undefined: a visitor, or somebody who is banned. */
  ownId: string | undefined
}>

/** Rules: docs/contract/profiles.md#who-sees-it. */
export function sightOf(viewer: Viewer | undefined): Sight {
  return {
    seesAll: hasRole(viewer?.role, 'Admin'),
    ownId: hasRole(viewer?.role, 'User') ? viewer?.id : undefined,
  }
}

/** @param page whether it is public, and whether it is the viewer's own or that of a team of theirs */
export function isOpenTo({ seesAll }: Sight, page: { readonly hasPublicPage: boolean; readonly isOwn: boolean }): boolean {
  return page.hasPublicPage || page.isOwn || seesAll
}

/** Nobody has the page of who is banned or has not activated the account. */
export function hasPage(user: { readonly role: Role; readonly emailConfirmed: boolean }): boolean {
  return user.role !== 'Banned' && user.emailConfirmed
}
