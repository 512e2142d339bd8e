import type { Environment } from '@capstan/settings/read'

/** Returns the environment with these variables replaced. A variable for a file with the value is removed. */
export function withVariables(environment: Environment, by: Environment): Environment {
  return {
    ...environment,
    ...Object.fromEntries(Object.keys(by).map((name) => [`${name}_FILE`, undefined])),
    ...by,
  }
}

/** Returns the environment with defaults for variables that are set neither directly nor by a file. */
export function withDefaultVariables(environment: Environment, by: Environment): Environment {
  return {
    ...Object.fromEntries(Object.entries(by).filter(([name]) => !environment[`${name}_FILE`])),
    ...environment,
  }
}
