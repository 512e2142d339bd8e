import { Type } from 'typebox'
import { ImportPreview, ImportResult, importRepairParameters } from '../exchange.ts'
import { AdminGame, GameClone } from '../games.ts'
import { ImportReport } from '../imports.ts'
import { Id, Sha256Hex, withSchemaOptions } from '../kit.ts'
import { InputLimits, Limits } from '../limits.ts'
import { operation } from '../operation.ts'

/** Calls that copy, import and export challenges and games. */
export const exchangeOperations = {
  previewImport: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/challenges/import/preview',
    access: 'admin',
    summary: 'Preview of a challenge import',
    description: 'Changes nothing. A zip with challenge folders in any known format, or a game package.',
    params: Type.Object({ id: Id }),
    query: Type.Object(importRepairParameters),
    upload: { field: 'file', maxBytes: Limits.maxImportBytes },
    response: ImportPreview,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  importChallenges: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/challenges/import',
    access: 'admin',
    summary: 'Import the challenges of an archive into a game',
    description: 'All or nothing. Imported challenges are disabled, unless `enableAll` is set.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      digest: Type.Optional(
        withSchemaOptions(Sha256Hex, {
          description:
            'Digest of the preview. An archive or repairs that differ from the preview are refused. If absent, nothing is compared.',
        }),
      ),
      take: Type.Optional(
        Type.String({
          pattern: '^[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*$',
          maxLength: InputLimits.maxImportChoiceLength,
          description: 'Positions, such as `0-4,7`. By default all that can be imported.',
        }),
      ),
      ...importRepairParameters,
    }),
    upload: { field: 'file', maxBytes: Limits.maxImportBytes },
    response: ImportResult,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  exportChallenges: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/challenges/export',
    access: 'admin',
    rateLimit: 'concurrency',
    summary: 'Download the challenges of a game as files',
    description: 'A zip with a folder for each challenge: `capstan.yaml`, the description and the files.',
    params: Type.Object({ id: Id }),
    download: 'application/zip',
    errors: [401, 403, 404, 429, 500],
  }),
  importGame: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/import',
    access: 'admin',
    summary: 'Create a game from a package',
    description: 'It is hidden, without practice mode and invitation code, and its challenges are disabled.',
    upload: { field: 'file', maxBytes: Limits.maxImportBytes },
    response: Type.Integer({ format: 'int32' }),
    errors: [400, 401, 403, 429, 500],
  }),
  exportGame: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/export',
    access: 'admin',
    rateLimit: 'concurrency',
    summary: 'Download a game as a package',
    description: 'Its settings, challenges and files, without its teams.',
    params: Type.Object({ id: Id }),
    download: 'application/zip',
    errors: [401, 403, 404, 429, 500],
  }),
  downloadGameArchive: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/archive',
    access: 'admin',
    rateLimit: 'concurrency',
    summary: 'Download a finished game as pages that need no server',
    description:
      'A zip with board, timeline, challenges and chosen writeups, in the language of the request. Teams with a hidden page are left ' +
      'out. 400 before the end.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      writeups: Type.Optional(
        Type.String({
          pattern: '^(all|[0-9]{1,9}(,[0-9]{1,9})*)$',
          maxLength: InputLimits.maxWriteupChoiceLength,
          description: 'Ids of the writeups, such as `4,7`, or `all`. None if absent.',
        }),
      ),
      attachments: Type.Optional(Type.Boolean({ default: false, description: 'With the attachments of the challenges.' })),
    }),
    download: 'application/zip',
    errors: [400, 401, 403, 404, 429, 500],
  }),
  cloneGame: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/clone',
    access: 'admin',
    summary: 'Copy a game',
    description:
      'Settings, divisions, poster, and challenges with hints, flags, and files. The copy is hidden, has new keys, and has no teams and notices.',
    params: Type.Object({ id: Id }),
    body: GameClone,
    response: AdminGame,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  importCtfd: operation({
    tag: 'Admin',
    method: 'POST',
    path: '/api/admin/imports/ctfd',
    access: 'admin',
    rateLimit: 'concurrency',
    summary: 'Create a game from a CTFd export',
    description:
      'The zip file of the export. The game is hidden. All or nothing; accounts with the same email address remain unchanged.',
    query: Type.Object({
      preview: Type.Optional(Type.Boolean({ default: false, description: 'Only report what would be created.' })),
    }),
    upload: { field: 'file', maxBytes: Limits.maxImportBytes },
    response: ImportReport,
    errors: [400, 401, 403, 408, 429, 500],
  }),
} as const
