/** Required environment variables of an api process. The secrets in it protect no data. */
export const requiredEnvironment = {
  DATABASE_URL: 'postgres://localhost/unused',
  CAPSTAN_SECRET_KEY: 'for development only',
  CAPSTAN_INTERNAL_TOKEN: 'shared by the tests alone',
} as const
