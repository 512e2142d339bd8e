/** Environment variables that an api process requires. The values are only for tests. */
export const requiredEnvironment = {
  DATABASE_URL: 'postgres://localhost/unused',
  CAPSTAN_SECRET_KEY: 'for development only',
  CAPSTAN_INTERNAL_TOKEN: 'shared by the tests alone',
} as const
