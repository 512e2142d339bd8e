import type { Role } from '@capstan/contract/common'
import { hasRole } from '@capstan/contract/roles'

/** User who requests a page. */
export type Viewer = Readonly<{
  id: string
  role: Role
}>

/** Pages that a viewer may open: either all pages, or all public pages and the pages of the viewer and the viewer's teams. */
export type ProfileAccess = Readonly<{
  seesAll: boolean
  /** Id of the viewer. Undefined for visitors and banned users. */
  ownId: string | undefined
}>

/** Returns the pages that a viewer may open. Rules: docs/contract/profiles.md#who-sees-it. */
export function profileAccessOfViewer(viewer: Viewer | undefined): ProfileAccess {
  return {
    seesAll: hasRole(viewer?.role, 'Admin'),
    ownId: hasRole(viewer?.role, 'User') ? viewer?.id : undefined,
  }
}

/**
 * True if the viewer may open the page.
 * @param page properties of the page. `isOwn` is true for the page of the viewer, and for pages of the viewer's teams
 */
export function isPageOpenToViewer(
  { seesAll }: ProfileAccess,
  page: Readonly<{ hasPublicPage: boolean; isOwn: boolean }>,
): boolean {
  return page.hasPublicPage || page.isOwn || seesAll
}

/** True unless the user is banned or has not activated the account. */
export function hasProfilePage(user: Readonly<{ role: Role; emailConfirmed: boolean }>): boolean {
  return user.role !== 'Banned' && user.emailConfirmed
}
