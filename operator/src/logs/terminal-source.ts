import type { ContainerAddress } from '@capstan/challenge-instance/container-address'
import { challengeContainer } from '@capstan/challenge-instance/names'
import type { ApiAccess } from '@capstan/kubernetes/access'
import { type Exec, openCommandTerminal } from '@capstan/kubernetes/exec'
import { findObjectsOfContainer } from '../challenge-instance/children.ts'
import type { Caches } from '../challenge-instance/ports.ts'
import { findContainer } from './find-container.ts'

/** Command that starts bash if the image contains it, and otherwise sh. */
const shell = ['/bin/sh', '-c', 'TERM=xterm-256color; export TERM; [ -x /bin/bash ] && exec /bin/bash; exec /bin/sh']

/** Opens terminals in containers of test instances. */
export interface TerminalSource {
  /**
   * Finds a container of a test instance, and returns a function that opens a terminal in this container. The function throws if
   * the API server refuses the terminal, or if the image has no shell.
   * @returns the function, 403 if the instance belongs to a team, or 404 if the container is unknown
   */
  find(address: ContainerAddress): (() => Promise<Exec>) | 403 | 404
}

export function createTerminalSource({
  access,
  caches,
  namespace,
}: {
  access: ApiAccess
  caches: Caches
  namespace: string
}): TerminalSource {
  return {
    find(address) {
      const container = findContainer(caches, namespace, address)
      if (container === undefined) return 404
      // The api also checks this condition. The operator repeats the check, so that an error in the api cannot open a terminal in a
      // team's instance.
      if (container.spec.teamId !== undefined || container.spec.participationId !== undefined) return 403
      const { pod } = findObjectsOfContainer(container, caches)
      if (pod === undefined) return 404
      return () =>
        openCommandTerminal(access, { namespace, pod: pod.metadata.name, container: challengeContainer, command: shell })
    },
  }
}
