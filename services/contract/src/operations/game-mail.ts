import { Type } from 'typebox'
import { GameMail, GameMailAudience, GameMailChoice, GameMailReach, OwnMailState, UnsubscribeQuery } from '../game-mail.ts'
import { Id } from '../kit.ts'
import { operation } from '../operation.ts'

/** Calls for mails to the participants of a game. Rules: docs/contract/games-and-joining.md#mails. */
export const gameMailOperations = {
  countGameMailRecipients: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/mail',
    access: 'admin',
    summary: 'Number of participants whom a mail would reach',
    description: '400 if this platform cannot send mails with an unsubscribe link.',
    params: Type.Object({ id: Id }),
    query: GameMailAudience,
    response: GameMailReach,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  sendGameMail: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/mail',
    access: 'admin',
    summary: 'Send a mail to participants',
    description: 'Queues one mail for each user. Each mail has an unsubscribe link. 429 after too many mails of the game.',
    params: Type.Object({ id: Id }),
    body: GameMail,
    response: GameMailReach,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  unsubscribe: operation({
    tag: 'Account',
    method: 'POST',
    path: '/api/account/gamemail/unsubscribe',
    access: 'anonymous',
    summary: 'Stop mails of games by the link in a mail',
    description: 'Mail clients also call it (RFC 8058). A link never expires, and works repeatedly.',
    query: UnsubscribeQuery,
    errors: [400, 429, 500],
  }),
  getOwnMailState: operation({
    tag: 'Account',
    method: 'GET',
    path: '/api/account/mail',
    access: 'user',
    summary: 'State of the address of the caller: mails refused, change possible',
    response: OwnMailState,
    errors: [401, 403, 429, 500],
  }),
  getGameMailChoice: operation({
    tag: 'Account',
    method: 'GET',
    path: '/api/account/gamemail',
    access: 'user',
    summary: 'True if the caller gets mails of games',
    response: GameMailChoice,
    errors: [401, 403, 429, 500],
  }),
  setGameMailChoice: operation({
    tag: 'Account',
    method: 'PUT',
    path: '/api/account/gamemail',
    access: 'user',
    summary: 'Switch mails of games on or off for the caller',
    body: GameMailChoice,
    repeatable: true,
    errors: [400, 401, 403, 429, 500],
  }),
} as const
