import type { Environment } from '@capstan/settings/read'

/** The environment with these variables in the place of its own, which may be given in files. */
export const overridden = (environment: Environment, by: Environment): Environment => ({
  ...environment,
  ...Object.fromEntries(Object.keys(by).map((name) => [`${name}_FILE`, undefined])),
  ...by,
})

/** The environment with those of these variables that it does not say itself, be it in files. */
export const completed = (environment: Environment, by: Environment): Environment => ({
  ...Object.fromEntries(Object.entries(by).filter(([name]) => !environment[`${name}_FILE`])),
  ...environment,
})
