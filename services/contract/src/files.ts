import { type Static, Type } from 'typebox'
import { nullableInteger, nullableString, stringEnum, withSchemaOptions } from './kit.ts'
import { InputLimits } from './limits.ts'

export const AttachmentType = stringEnum(['None', 'Local', 'Remote'], { title: 'AttachmentType' })
export type AttachmentType = Static<typeof AttachmentType>

export const Attachment = Type.Object(
  {
    id: Type.Integer({ format: 'int32' }),
    type: AttachmentType,
    url: nullableString(),
    fileSize: nullableInteger({ format: 'int64', description: 'Null for remote files.' }),
  },
  { title: 'Attachment' },
)
export type Attachment = Static<typeof Attachment>

export const AttachmentInput = Type.Object(
  {
    attachmentType: Type.Optional(withSchemaOptions(AttachmentType, { default: 'None' })),
    fileHash: Type.Optional(
      nullableString({ maxLength: InputLimits.sha256HexLength, description: 'For Local: hash from the upload call.' }),
    ),
    remoteUrl: Type.Optional(nullableString({ maxLength: InputLimits.maxUrlLength, description: 'For Remote.' })),
  },
  { title: 'AttachmentInput' },
)
export type AttachmentInput = Static<typeof AttachmentInput>

export const FileRef = Type.Object(
  {
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the content.' }),
    name: Type.String(),
  },
  { title: 'FileRef' },
)
export type FileRef = Static<typeof FileRef>

export const FilePage = Type.Object(
  {
    data: Type.Array(FileRef),
    length: Type.Integer({ format: 'int32', description: 'Items in `data`.' }),
    total: Type.Integer({ format: 'int32', description: 'Total number of items; equals `length` if the call has no paging.' }),
  },
  { title: 'FilePage' },
)
export type FilePage = Static<typeof FilePage>
