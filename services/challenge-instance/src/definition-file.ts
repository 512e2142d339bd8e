/** Path of the custom resource definition, relative to the root of the repository. */
export const definitionFile = new URL('../../../crds/capstan.dev_challengeinstances.yaml', import.meta.url)
