import { Type } from 'typebox'
import { CaptchaInfo } from '../accounts.ts'
import { Limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { PostDetail, PostSummary } from '../posts.ts'
import { ClientConfig } from '../settings.ts'

export const infoOperations = {
  getCaptchaInfo: operation({
    tag: 'Info',
    method: 'GET',
    path: '/api/captcha',
    access: 'anonymous',
    summary: 'Captcha settings',
    response: CaptchaInfo,
    errors: [429, 500],
  }),
  getClientConfig: operation({
    tag: 'Info',
    method: 'GET',
    path: '/api/config',
    access: 'anonymous',
    summary: 'Settings for the start of the client',
    response: ClientConfig,
    errors: [429, 500],
  }),
  listPosts: operation({
    tag: 'Info',
    method: 'GET',
    path: '/api/posts',
    access: 'anonymous',
    summary: 'All posts',
    response: Type.Array(PostSummary),
    errors: [429, 500],
  }),
  listLatestPosts: operation({
    tag: 'Info',
    method: 'GET',
    path: '/api/posts/latest',
    access: 'anonymous',
    summary: 'First 20 posts',
    response: Type.Array(PostSummary),
    errors: [429, 500],
  }),
  getPost: operation({
    tag: 'Info',
    method: 'GET',
    path: '/api/posts/{id}',
    access: 'anonymous',
    summary: 'A post',
    params: Type.Object({ id: Type.String({ maxLength: Limits.postIdLength }) }),
    response: PostDetail,
    errors: [404, 429, 500],
  }),
} as const
