import type { UserProfile } from '@capstan/contract/accounts'
import { pathOfPicture } from '@capstan/contract/asset-address'
import type { UserRow } from './repository.ts'

export function presentProfile(user: UserRow): UserProfile {
  return {
    userId: user.id,
    userName: user.userName,
    email: user.email,
    bio: user.bio,
    phone: user.phone,
    realName: user.realName,
    stdNumber: user.stdNumber,
    avatar: pathOfPicture(user.avatarHash, 'avatar'),
    role: user.role,
  }
}
