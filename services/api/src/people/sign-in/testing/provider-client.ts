import { randomUUID } from 'node:crypto'
import type { ProviderClient } from '../provider-client.ts'

const noTeam = { team: null, division: '' }

/** Creates a provider that confirms every sign-in as a new user. */
export function createTestProviderClient(): ProviderClient {
  return {
    check: async () => {},
    authorizationUrl: async ({ key }, redirectUri, { state }) =>
      `https://id.example.org/${key}?redirect_uri=${encodeURIComponent(redirectUri)}&state=${state}`,
    logoutUrl: async () => undefined,
    readUser: async () => {
      const subject = randomUUID()
      const email = `${subject}@id.example.org`
      const profile = {
        subject,
        userName: 'somebody',
        email,
        isEmailVerified: true,
        realName: '',
        stdNumber: '',
        isAdmin: false,
        ...noTeam,
      }
      return { profile, claims: { sub: subject, email } }
    },
  }
}
