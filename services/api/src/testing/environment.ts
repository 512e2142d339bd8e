/** What every api process needs to be told, with secrets that nothing is protected by. */
export const requiredEnvironment = {
  DATABASE_URL: 'postgres://localhost/unused',
  CAPSTAN_SECRET_KEY: 'for development only',
  CAPSTAN_INTERNAL_TOKEN: 'shared by the tests alone',
} as const
