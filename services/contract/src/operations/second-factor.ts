import { Type } from 'typebox'
import { Uuid } from '../kit.ts'
import { operation } from '../operation.ts'
import { LoginCode, PasswordProof, RecoveryCodes, SecondFactor, TotpConfirmation, TotpSetup } from '../second-factor.ts'

/** Calls for the second factor of local accounts. */
export const secondFactorOperations = {
  finishLogin: operation({
    tag: 'Account',
    method: 'POST',
    path: '/api/account/login/code',
    access: 'anonymous',
    summary: 'Finish a login with a code of the second factor',
    description: 'Follows a login that was answered with 401 `login.second-factor`, in the same browser, within 5 minutes.',
    body: LoginCode,
    errors: [400, 401, 429, 500],
  }),
  getSecondFactor: operation({
    tag: 'Account',
    method: 'GET',
    path: '/api/account/second-factor',
    access: 'user',
    summary: 'Second factor of the own account',
    response: SecondFactor,
    errors: [401, 403, 429, 500],
  }),
  startTotp: operation({
    tag: 'Account',
    method: 'POST',
    path: '/api/account/second-factor/totp',
    access: 'user',
    summary: 'Begin to set up an authenticator app',
    body: PasswordProof,
    response: TotpSetup,
    errors: [400, 401, 403, 429, 500],
  }),
  enableTotp: operation({
    tag: 'Account',
    method: 'PUT',
    path: '/api/account/second-factor/totp',
    access: 'user',
    summary: 'Finish setting up an authenticator app',
    description: 'Returns the recovery codes.',
    body: TotpConfirmation,
    response: RecoveryCodes,
    errors: [400, 401, 403, 429, 500],
  }),
  renewRecoveryCodes: operation({
    tag: 'Account',
    method: 'POST',
    path: '/api/account/second-factor/recovery',
    access: 'user',
    summary: 'Replace all recovery codes',
    body: PasswordProof,
    response: RecoveryCodes,
    errors: [400, 401, 403, 429, 500],
  }),
  removeSecondFactor: operation({
    tag: 'Account',
    method: 'POST',
    path: '/api/account/second-factor/removal',
    access: 'user',
    summary: 'Remove the own second factor',
    body: PasswordProof,
    errors: [400, 401, 403, 429, 500],
  }),
  removeUserSecondFactor: operation({
    tag: 'Admin',
    method: 'DELETE',
    path: '/api/admin/users/{id}/second-factor',
    access: 'admin',
    summary: 'Remove the second factor of a user',
    description: 'The user gets a mail. 400 if the user has no second factor.',
    params: Type.Object({ id: Uuid }),
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
