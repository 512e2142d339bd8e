/** Where the definition of the kind is in the repository. */
export const definitionFile = new URL('../../../crds/capstan.dev_challengeinstances.yaml', import.meta.url)
