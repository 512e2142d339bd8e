import { type Static, Type } from 'typebox'
import { nullableArray, nullableString } from './kit.ts'
import { InputLimits, Limits, notEmpty } from './limits.ts'

const summaryFields = {
  id: Type.String({ maxLength: Limits.postIdLength }),
  title: Type.String(),
  summary: Type.String(),
  isPinned: Type.Boolean(),
  tags: nullableArray(Type.String()),
  authorAvatar: nullableString(),
  authorName: nullableString(),
  time: Type.String({ format: 'date-time', description: 'Last edit.' }),
}

export const PostSummary = Type.Object(summaryFields, { title: 'PostSummary' })
export type PostSummary = Static<typeof PostSummary>

export const PostDetail = Type.Object(
  { ...summaryFields, content: Type.String({ description: 'Markdown.' }) },
  { title: 'PostDetail' },
)
export type PostDetail = Static<typeof PostDetail>

export const PostWrite = Type.Object(
  {
    title: Type.String({ ...notEmpty, maxLength: Limits.maxPostTitleLength }),
    summary: Type.Optional(Type.String({ default: '', maxLength: InputLimits.maxLongTextLength })),
    content: Type.Optional(Type.String({ default: '', maxLength: InputLimits.maxLongTextLength })),
    tags: Type.Optional(
      nullableArray(Type.String({ maxLength: InputLimits.maxTagLength }), { default: [], maxItems: InputLimits.maxTags }),
    ),
    isPinned: Type.Optional(Type.Boolean({ default: false })),
  },
  { title: 'PostWrite' },
)
export type PostWrite = Static<typeof PostWrite>
