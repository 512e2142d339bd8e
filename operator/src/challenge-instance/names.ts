/** Names that api, operator, chart and people share. */

/** Field manager of everything that the operator applies. */
export const fieldManager = 'capstan-operator'

/** Name of the challenge's container in its pod. */
export const challengeContainer = 'challenge'

/** Name of the recording container in its pod, and of its port. */
export const captureContainer = 'capture'

/** Name of the challenge's port in pod and service. */
export const challengePort = 'challenge'

/** Key of the flag in its Secret. */
export const flagKey = 'flag'

/** Environment name of the team's number. */
export const teamIdVariable = 'TEAM_ID'

/** What a test instance reads as its team's number. behaviour §14. */
export const testTeamId = 'admin'

/** Lease that the leading operator holds. */
export const leaseName = 'capstan-operator'
