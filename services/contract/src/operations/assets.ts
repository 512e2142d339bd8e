import { Type } from 'typebox'
import { assetsPath } from '../asset-address.ts'
import { FileRef } from '../files.ts'
import { Sha256Hex } from '../kit.ts'
import { InputLimits, notEmpty } from '../limits.ts'
import { operation } from '../operation.ts'

export const assetsOperations = {
  uploadFiles: operation({
    tag: 'Assets',
    method: 'POST',
    path: '/api/assets',
    access: 'admin',
    summary: 'Upload files',
    query: Type.Object({ filename: Type.Optional(Type.String({ maxLength: InputLimits.maxFileNameLength })) }),
    upload: { field: 'files', many: true },
    response: Type.Array(FileRef),
    errors: [400, 401, 403, 429, 500],
  }),
  deleteFile: operation({
    tag: 'Assets',
    method: 'DELETE',
    path: '/api/assets/{id}',
    access: 'admin',
    summary: 'Delete a file',
    description: 'Removes one reference. The content is deleted with the last one.',
    params: Type.Object({ id: Sha256Hex }),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  getFile: operation({
    tag: 'Assets',
    method: 'GET',
    path: `${assetsPath}/{hash}/{name}`,
    access: 'anonymous',
    summary: 'Download a file',
    params: Type.Object({ hash: Sha256Hex, name: Type.String({ ...notEmpty, maxLength: InputLimits.maxFileNameLength }) }),
    download: '*/*',
    errors: [400, 404, 429, 500],
  }),
} as const
