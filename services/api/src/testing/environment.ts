import process from 'node:process'

/** Variables of this process that child processes need, too. Without the cache, each start compiles up to 1,500 sources. */
export const inheritedEnvironment = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE } as const

/** Environment variables that an api process requires. The values are only for tests. */
export const requiredEnvironment = {
  DATABASE_URL: 'postgres://localhost/unused',
  CAPSTAN_SECRET_KEY: 'for development only',
  CAPSTAN_INTERNAL_TOKEN: 'shared by the tests alone',
} as const
