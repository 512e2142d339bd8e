import type { AdminUser, AdminUserPage } from '@capstan/contract/admin'
import { pathOfPicture } from '@capstan/contract/asset-address'
import type { UserRow } from './repository.ts'

function presentUser(user: UserRow): AdminUser {
  return {
    id: user.id,
    userName: user.userName,
    realName: user.realName,
    stdNumber: user.stdNumber,
    phone: user.phone,
    bio: user.bio,
    registerTimeUtc: user.registeredAt.toISOString(),
    lastVisitedUtc: user.lastVisitedAt.toISOString(),
    ip: user.lastAddress,
    email: user.email,
    avatar: pathOfPicture(user.avatarHash, 'avatar'),
    role: user.role,
    emailConfirmed: user.emailConfirmed,
  }
}

/** Presents a page of users for admins. @param total number of users on all pages, by default the number of `rows` */
export function presentUserPage(rows: readonly UserRow[], total: number = rows.length): AdminUserPage {
  return {
    data: rows.map(presentUser),
    length: rows.length,
    total,
  }
}
