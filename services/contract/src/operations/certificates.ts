import { Type } from 'typebox'
import { Certificate, CertificateWrite, certificatePictures } from '../certificates.ts'
import { Id, stringEnum } from '../kit.ts'
import { Limits } from '../limits.ts'
import { operation } from '../operation.ts'

const pictureParams = Type.Object({ id: Id, picture: stringEnum(certificatePictures) })
const pdf = 'application/pdf'

/** Calls that only this platform has, for certificates of a finished game. */
export const certificateOperations = {
  getCertificate: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/certificate',
    access: 'admin',
    summary: 'Template of the certificates of a game',
    params: Type.Object({ id: Id }),
    response: Certificate,
    errors: [401, 403, 404, 429, 500],
  }),
  updateCertificate: operation({
    tag: 'Edit',
    method: 'PUT',
    path: '/api/edit/games/{id}/certificate',
    access: 'admin',
    summary: 'Replace the template of the certificates',
    description: 'The pictures remain unchanged. 400 for an unknown placeholder.',
    params: Type.Object({ id: Id }),
    body: CertificateWrite,
    response: Certificate,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  previewCertificate: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/certificate/preview',
    access: 'admin',
    summary: 'Draw an example of a certificate',
    description: 'From the stored template, with invented names. 400 without a template.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      ranked: Type.Optional(Type.Boolean({ default: true, description: 'False for the certificate of a team without a rank.' })),
    }),
    download: pdf,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  setCertificatePicture: operation({
    tag: 'Edit',
    method: 'PUT',
    path: '/api/edit/games/{id}/certificate/{picture}',
    access: 'admin',
    summary: 'Upload a picture of the certificates',
    description: 'The background is stored as JPEG, the others as PNG.',
    params: pictureParams,
    upload: { field: 'file', maxBytes: Limits.maxImageBytes },
    response: Certificate,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  deleteCertificatePicture: operation({
    tag: 'Edit',
    method: 'DELETE',
    path: '/api/edit/games/{id}/certificate/{picture}',
    access: 'admin',
    summary: 'Remove a picture of the certificates',
    params: pictureParams,
    response: Certificate,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  downloadOwnCertificate: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/certificate',
    access: 'participant',
    rateLimit: 'concurrency',
    summary: "Certificate of the caller, or of the caller's team",
    description: 'With the final standing. 400 before the end, and if the game has no certificates.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      team: Type.Optional(Type.Boolean({ default: false, description: 'True for one that names all members of the team.' })),
    }),
    download: pdf,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  downloadTeamCertificate: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/certificates/{teamId}',
    access: 'monitor',
    rateLimit: 'concurrency',
    summary: 'Certificate of a team',
    description: 'Also if players cannot download certificates. 400 before the end, and without a template.',
    params: Type.Object({ id: Id, teamId: Id }),
    download: pdf,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  downloadCertificates: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/certificates',
    access: 'monitor',
    rateLimit: 'concurrency',
    summary: 'Certificates of all teams',
    description: 'A zip with one file per team, in order of rank. 400 before the end, and without a template.',
    params: Type.Object({ id: Id }),
    download: 'application/zip',
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
