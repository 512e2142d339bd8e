import type { UserProfile } from '@capstan/contract/accounts'
import { avatarUrl } from '../files/asset-url.ts'
import type { UserRow } from './repository.ts'

/** For the user and for admins only. */
export const presentProfile = (user: UserRow): UserProfile => ({
  userId: user.id,
  userName: user.userName,
  email: user.email,
  bio: user.bio,
  phone: user.phone,
  realName: user.realName,
  stdNumber: user.stdNumber,
  avatar: avatarUrl(user.avatarHash),
  role: user.role,
})
