import { createHash, createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const s3Credentials = { accessKeyId: 'test-key', secretAccessKey: 'test-secret', region: 'us-east-1', bucket: 'capstan' }

const minPartBytes = 5 * 1024 * 1024

class S3Error extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

function hmac(key: string | Buffer, text: string) {
  return createHmac('sha256', key).update(text).digest()
}
function sha256(bytes: string | Buffer) {
  return createHash('sha256').update(bytes).digest('hex')
}
function md5(bytes: Buffer) {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}
function encode(text: string) {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Checks the AWS Signature Version 4 in the Authorization header, and the hash of the payload in `x-amz-content-sha256`. */
function verifySignature(request: IncomingMessage, url: URL, body: Buffer): void {
  const { authorization = '' } = request.headers
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(authorization) ?? []
  const [accessKeyId, date = '', region = '', service = ''] = credential.split('/')
  if (accessKeyId !== s3Credentials.accessKeyId) throw new S3Error(403, 'InvalidAccessKeyId')
  const payloadHash = String(request.headers['x-amz-content-sha256'])
  if (/^[0-9a-f]{64}$/.test(payloadHash) && payloadHash !== sha256(body)) throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort()
  const headers = signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const path = url.pathname.split('/').map((part) => encode(decodeURIComponent(part)))
  const canonical = [request.method, path.join('/'), query.join('&'), headers.join(''), signedHeaders, payloadHash].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const dateKey = hmac(`AWS4${s3Credentials.secretAccessKey}`, date)
  const signingKey = hmac(hmac(hmac(dateKey, region), service), 'aws4_request')
  if (hmac(signingKey, toSign).toString('hex') !== signature) throw new S3Error(403, 'SignatureDoesNotMatch')
}

function rangeOf(header: string | undefined, size: number) {
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '') return undefined
  if (Number(first) >= size) throw new S3Error(416, 'InvalidRange')
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/**
 * Implements the part of the S3 HTTP interface that a blob store needs: path-style addresses, signature version 4, objects, lists,
 * ranges, copies and multipart uploads with a minimum part size. It refuses requests of unknown length.
 */
export async function startS3Server() {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, { key: string; parts: Map<number, Buffer>; begunAt: Date }>()

  const objectOf = (key: string): Buffer => {
    const bytes = objects.get(key)
    if (!bytes) throw new S3Error(404, 'NoSuchKey')
    return bytes
  }
  const uploadOf = (id: string) => {
    const upload = uploads.get(id)
    if (!upload) throw new S3Error(404, 'NoSuchUpload')
    return upload
  }
  const xmlOf = (members: Record<string, string>) =>
    Object.entries(members)
      .map(([member, value]) => `<${member}>${value.replaceAll('&', '&amp;')}</${member}>`)
      .join('')
  const sendDocument = (response: ServerResponse, name: string, content: string): void =>
    void response.setHeader('content-type', 'application/xml').end(`<?xml version="1.0"?><${name}>${content}</${name}>`)
  const sendXml = (response: ServerResponse, name: string, members: Record<string, string>): void =>
    sendDocument(response, name, xmlOf(members))

  const startedAt = new Date()
  /** Sends a list in pages of two objects, so that lists have several pages. */
  const listObjects = (response: ServerResponse, query: URLSearchParams) => {
    const after = query.get('continuation-token') ?? ''
    const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after).sort()
    const page = keys.slice(0, 2)
    const contents = page.map((Key) => `<Contents>${xmlOf({ Key, LastModified: startedAt.toISOString() })}</Contents>`)
    const next: Record<string, string> = keys.length > 2 ? { NextContinuationToken: page.at(-1) ?? '' } : {}
    sendDocument(response, 'ListBucketResult', contents.join('') + xmlOf({ IsTruncated: String(keys.length > 2), ...next }))
  }
  const listUploads = (response: ServerResponse) => {
    const list = [...uploads].map(
      ([UploadId, { key, begunAt }]) => `<Upload>${xmlOf({ Key: key, UploadId, Initiated: begunAt.toISOString() })}</Upload>`,
    )
    sendDocument(response, 'ListMultipartUploadsResult', list.join(''))
  }

  const finishUpload = (id: string, body: Buffer): Buffer => {
    const { parts } = uploadOf(id)
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number))
    const list = numbers.map((number) => parts.get(number))
    if (list.length === 0 || list.some((part) => !part)) throw new S3Error(400, 'InvalidPart')
    const bytes = list.filter((part) => part !== undefined)
    if (bytes.slice(0, -1).some((part) => part.length < minPartBytes)) throw new S3Error(400, 'EntityTooSmall')
    uploads.delete(id)
    return Buffer.concat(bytes)
  }

  const put = (request: IncomingMessage, response: ServerResponse, key: string, query: URLSearchParams, body: Buffer) => {
    const source = request.headers['x-amz-copy-source']
    if (typeof source === 'string') {
      const sourceKey = decodeURIComponent(source).replace(`/${s3Credentials.bucket}/`, '')
      objects.set(key, objectOf(sourceKey))
      return sendXml(response, 'CopyObjectResult', { ETag: md5(objectOf(key)), LastModified: new Date().toISOString() })
    }
    if (request.headers['content-length'] === undefined) throw new S3Error(411, 'MissingContentLength')
    const uploadId = query.get('uploadId')
    if (uploadId === null) objects.set(key, body)
    else uploadOf(uploadId).parts.set(Number(query.get('partNumber')), body)
    response.setHeader('etag', md5(body)).end()
  }

  const read = (request: IncomingMessage, response: ServerResponse, key: string) => {
    const bytes = objectOf(key)
    const range = rangeOf(request.headers.range, bytes.length)
    const content = range ? bytes.subarray(range.start, range.end + 1) : bytes
    if (range) response.writeHead(206, { 'content-range': `bytes ${range.start}-${range.end}/${bytes.length}` })
    if (!range) response.setHeader('content-length', content.length)
    response.end(request.method === 'HEAD' ? undefined : content)
  }

  const post = (response: ServerResponse, key: string, query: URLSearchParams, body: Buffer) => {
    const uploadId = query.get('uploadId')
    if (uploadId !== null) {
      objects.set(key, finishUpload(uploadId, body))
      return sendXml(response, 'CompleteMultipartUploadResult', { Key: key, ETag: md5(objectOf(key)) })
    }
    if (!query.has('uploads')) throw new S3Error(400, 'InvalidRequest')
    const id = randomUUID()
    uploads.set(id, { key, parts: new Map(), begunAt: new Date() })
    sendXml(response, 'InitiateMultipartUploadResult', { Bucket: s3Credentials.bucket, Key: key, UploadId: id })
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const body = Buffer.concat(await Array.fromAsync(request, (chunk) => Buffer.from(chunk)))
    verifySignature(request, url, body)
    const [, bucket, ...parts] = url.pathname.split('/').map(decodeURIComponent)
    if (bucket !== s3Credentials.bucket) throw new S3Error(404, 'NoSuchBucket')
    const key = parts.join('/')
    const uploadId = url.searchParams.get('uploadId')
    if (key === '' && url.searchParams.has('uploads')) return listUploads(response)
    if (key === '') return listObjects(response, url.searchParams)
    if (request.method === 'PUT') return put(request, response, key, url.searchParams, body)
    if (request.method === 'POST') return post(response, key, url.searchParams, body)
    if (request.method === 'GET' || request.method === 'HEAD') return read(request, response, key)
    if (uploadId === null) objects.delete(key)
    else uploads.delete(uploadId)
    response.writeHead(204).end()
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      const { status, code } = error instanceof S3Error ? error : new S3Error(500, 'InternalError')
      response.statusCode = status
      sendXml(response, 'Error', { Code: code, Message: code })
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    /** Multipart uploads that were neither completed nor aborted. */
    uploads,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
