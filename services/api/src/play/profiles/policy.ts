import type { Role } from '@capstan/contract/common'
import { hasRole } from '@capstan/contract/roles'

/** Who looks at a page. */
export interface Viewer {
  readonly id: string
  readonly role: Role
}

/** Whose pages are open to somebody: everybody's, or those that are public and their own. */
export interface Sight {
  readonly seesAll: boolean
  /** Undefined: a visitor, or somebody who is banned. */
  readonly ownId: string | undefined
}

/** Rules: docs/contract/profiles.md#who-sees-it. */
export const sightOf = (viewer: Viewer | undefined): Sight => ({
  seesAll: hasRole(viewer?.role, 'Admin'),
  ownId: hasRole(viewer?.role, 'User') ? viewer?.id : undefined,
})

/** @param page whether it is public, and whether it is the viewer's own or that of a team of theirs */
export const isOpenTo = ({ seesAll }: Sight, page: { readonly hasPublicPage: boolean; readonly isOwn: boolean }): boolean =>
  page.hasPublicPage || page.isOwn || seesAll

/** Nobody has the page of who is banned or has not activated the account. */
export const hasPage = (user: { readonly role: Role; readonly emailConfirmed: boolean }): boolean =>
  user.role !== 'Banned' && user.emailConfirmed
