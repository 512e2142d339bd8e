import {
  capturePort,
  egress,
  imagePullSecrets,
  instanceNamespace,
  platformNamespace,
  runtimeClassName,
  securityProfile,
} from '@capstan/settings/common'
import { integer, onOff, portKind, text } from '@capstan/settings/kinds'
import { required, type SettingGroups, withDefault } from '@capstan/settings/setting'
import { guards } from '../settings.ts'

/** All environment variables of the doctor, in groups that are read together. */
export const doctorSettings = {
  process: {
    // This setting is required. With a wrong default, the doctor would test another namespace and report no problem.
    instanceNamespace: required(instanceNamespace.name, instanceNamespace.kind, instanceNamespace.about),
    platformNamespace,
    release: required('CAPSTAN_RELEASE', text('the name of a helm release', 'capstan'), 'name of the release'),
    capturePort,
    processes: withDefault(
      'CAPSTAN_DOCTOR_PROCESSES',
      integer(1, 100_000, 1000),
      4096,
      'number of processes that a challenge must not be able to start',
    ),
  },
  instanceSpec: {
    image: required(
      'CAPSTAN_DOCTOR_IMAGE',
      text('the name of an image', 'registry.example.org/ctf/isolation-probe:0.1.0'),
      'image of the isolation probe, which replaces a challenge',
    ),
    egress,
    securityProfile,
    runtimeClassName,
    imagePullSecrets,
    isRecorded: withDefault('CAPSTAN_DOCTOR_CAPTURE', onOff('on'), 'off', '`on`: traffic of challenges is recorded'),
  },
  guards,
  apiServer: {
    host: required(
      'KUBERNETES_SERVICE_HOST',
      text('a host name or address', '10.96.0.1'),
      'address of the API server, set by Kubernetes',
    ),
    port: withDefault('KUBERNETES_SERVICE_PORT', portKind(6443), 443, 'port of the API server, set by Kubernetes'),
  },
} satisfies SettingGroups
