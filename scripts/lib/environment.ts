import type { Environment } from '@capstan/settings/read'

/**
 * Returns the environment with the values of `by`. For each variable of `by`, the variable with the suffix `_FILE` is removed.
 * Otherwise, that variable would set the value from a file.
 */
export function setVariables(environment: Environment, by: Environment): Environment {
  return {
    ...environment,
    ...Object.fromEntries(Object.keys(by).map((name) => [`${name}_FILE`, undefined])),
    ...by,
  }
}

/**
 * Returns the environment with the values of `by` as defaults. If a variable with the suffix `_FILE` sets a value from a file, its
 * default is omitted.
 */
export function setDefaultVariables(environment: Environment, by: Environment): Environment {
  return {
    ...Object.fromEntries(Object.entries(by).filter(([name]) => !environment[`${name}_FILE`])),
    ...environment,
  }
}
