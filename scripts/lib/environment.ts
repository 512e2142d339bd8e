import type { Environment } from '@capstan/settings/read'

/** The environment with these variables in the place of its own, which may be given in files. */
export function overridden(environment: Environment, by: Environment): Environment {
  return {
    ...environment,
    ...Object.fromEntries(Object.keys(by).map((name) => [`${name}_FILE`, undefined])),
    ...by,
  }
}

/** The environment with those of these variables that it does not say itself, be it in files. */
export function completed(environment: Environment, by: Environment): Environment {
  return {
    ...Object.fromEntries(Object.entries(by).filter(([name]) => !environment[`${name}_FILE`])),
    ...environment,
  }
}
