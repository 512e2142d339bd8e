import type { Environment } from '@capstan/settings/read'

/**
 * Returns the environment with the variables of `by` replaced. The variables `*_FILE`, which name files with their values, are
 * removed.
 */
export function withVariables(environment: Environment, by: Environment): Environment {
  return {
    ...environment,
    ...Object.fromEntries(Object.keys(by).map((name) => [`${name}_FILE`, undefined])),
    ...by,
  }
}

/**
 * Returns the environment with the variables of `by` as defaults. A default is omitted if a variable `*_FILE` names a file with
 * the value.
 */
export function withDefaultVariables(environment: Environment, by: Environment): Environment {
  return {
    ...Object.fromEntries(Object.entries(by).filter(([name]) => !environment[`${name}_FILE`])),
    ...environment,
  }
}
