import { Type } from 'typebox'
import { Uuid } from '../kit.ts'
import { operation } from '../operation.ts'

export const proxyOperations = {
  proxyInstance: operation({
    tag: 'Proxy',
    method: 'GET',
    path: '/api/proxy/{id}',
    access: 'anonymous',
    summary: "TCP tunnel to a team's instance",
    description: '400 = proxy mode is off or 64 connections are open.',
    params: Type.Object({ id: Uuid }),
    errors: [400, 404, 418, 429, 500],
  }),
  proxyTestContainer: operation({
    tag: 'Proxy',
    method: 'GET',
    path: '/api/proxy/noinst/{id}',
    access: 'anonymous',
    summary: 'TCP tunnel to a test instance',
    description: '400 = proxy mode is off; 404 for instances that belong to a team.',
    params: Type.Object({ id: Uuid }),
    errors: [400, 404, 418, 429, 500],
  }),
} as const
