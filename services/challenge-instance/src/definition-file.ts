/** File of the custom resource definition in the repository. */
export const definitionFile = new URL('../../../crds/capstan.dev_challengeinstances.yaml', import.meta.url)
