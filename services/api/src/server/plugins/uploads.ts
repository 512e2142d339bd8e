import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { Guard } from '@capstan/http/guard'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { type BodyWatch, watchUploadPace } from '../files/body-watch.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Starts an upload of a user. @throws Problem `request.rate-limited` if the user has too many uploads in progress */
    admitUpload(request: FastifyRequest, reply: FastifyReply, userId: string): void
    /** Returns the object that enforces the minimum pace of an upload. */
    watchUpload(request: FastifyRequest): BodyWatch
    /** Reserves memory until the request is answered. @throws Problem `request.rate-limited` if too much memory is reserved */
    holdUpload(request: FastifyRequest, bytes: number): void
  }
}

const retryAfterSeconds = 10

/**
 * Limits the memory and connections that uploads use. Each process counts only its own uploads, because it protects its own
 * resources. Unlike the rate limits of calls, these limits cannot be disabled.
 */
export const uploadsPlugin = fastifyPlugin(
  async (app) => {
    const watches = new WeakMap<FastifyRequest, BodyWatch>()
    const watchUpload = (request: FastifyRequest): BodyWatch => {
      const watch = watches.get(request) ?? watchUploadPace(request.raw, app.deps.uploadPace)
      watches.set(request, watch)
      return watch
    }
    // Start to watch the body before authentication, because the body of a refused call also arrives.
    app.addHook('onRequest', (request, _reply, done) => {
      if (/^multipart\//i.test(request.headers['content-type'] ?? '')) watchUpload(request)
      done()
    })
    app.decorate('watchUpload', watchUpload)

    const runningOfUser = new Map<string, number>()
    const reservedOfUser = new Map<string, number>()
    const userOf = new WeakMap<FastifyRequest, string>()
    const reservedBy = new WeakMap<FastifyRequest, number>()
    let reservedBytes = 0

    const decrease = (counts: Map<string, number>, userId: string, by: number): void => {
      const left = (counts.get(userId) ?? 0) - by
      if (left > 0) counts.set(userId, left)
      else counts.delete(userId)
    }
    const release = (request: FastifyRequest): void => {
      const reserved = reservedBy.get(request) ?? 0
      reservedBytes -= reserved
      reservedBy.delete(request)
      const userId = userOf.get(request)
      if (userId === undefined) return
      userOf.delete(request)
      decrease(reservedOfUser, userId, reserved)
      decrease(runningOfUser, userId, 1)
    }
    app.addHook('onResponse', (request, _reply, done) => {
      release(request)
      done()
    })

    app.decorate('admitUpload', (request: FastifyRequest, reply: FastifyReply, userId: string) => {
      // Do not count an upload whose client has already disconnected. The `close` event that would release it has already occurred.
      if (request.socket.destroyed) return
      const running = runningOfUser.get(userId) ?? 0
      if (running >= Limits.maxConcurrentUploads) throw new Problem('request.rate-limited', { retryAfterSeconds })
      runningOfUser.set(userId, running + 1)
      userOf.set(request, userId)
      // The `close` event also releases the upload of a client that disconnects before the response.
      new Guard(reply.log, reply.raw).once(reply.raw, 'close', () => release(request))
    })

    app.decorate('holdUpload', (request: FastifyRequest, bytes: number) => {
      if (request.socket.destroyed) return
      const userId = userOf.get(request)
      const ofUser = (userId === undefined ? 0 : (reservedOfUser.get(userId) ?? 0)) + bytes
      if (reservedBytes + bytes > Limits.maxBufferedUploadBytes || ofUser > Limits.maxBufferedUploadBytesPerUser)
        throw new Problem('request.rate-limited', { retryAfterSeconds })
      if (userId !== undefined) reservedOfUser.set(userId, ofUser)
      reservedBytes += bytes
      reservedBy.set(request, (reservedBy.get(request) ?? 0) + bytes)
    })
  },
  { name: 'uploads', dependencies: ['problems'] },
)
