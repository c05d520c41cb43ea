// The scene with three.js.
import {
  AmbientLight, BufferAttribute, BufferGeometry, BoxGeometry, Color, CustomBlending, CylinderGeometry, Curve, DirectionalLight, DoubleSide, HemisphereLight,
  ConeGeometry, InstancedMesh, Group, LineBasicMaterial, LineSegments, Matrix4, MaxEquation, Mesh, MeshBasicMaterial, MeshStandardMaterial, MinEquation, OneFactor, OrthographicCamera, PerspectiveCamera, Quaternion, Scene,
  SphereGeometry, TubeGeometry, Vector3, WebGLRenderer, type InterleavedBufferAttribute,
} from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { Shape } from "./data";
import type { Camera } from "./camera";
import type { Motion } from "./motion";
import { aim, arrowEnds, gridStep, groundHeight, knobRadius, knobs, MANY_BARS, ofType, planeCorners, presence, sizes, THINNEST, trailFrames, type Knob, type Stage, type TrailLength } from "./stage";
import { named, theme } from "./theme";

const TRAIL_POINTS = 1500;
const UP = new Vector3(0, 1, 0);

class Helix extends Curve<Vector3> {
  /** Of radius 1, and so long. */
  constructor(private length: number) {
    super();
  }

  override getPoint(t: number, out = new Vector3()): Vector3 {
    const turns = 11;
    const lead = 0.1; // straight at both ends
    const s = (t - lead) / (1 - 2 * lead);
    const wide = s <= 0 || s >= 1 ? 0 : Math.min(1, 12 * s, 12 * (1 - s));
    const angle = 2 * Math.PI * turns * Math.max(0, Math.min(1, s));
    return out.set(wide * Math.cos(angle), (t - 0.5) * this.length, wide * Math.sin(angle));
  }
}

interface Trail {
  place: number;
  line: Line2;
  positions: Float32Array;
  colours: Float32Array;
}

export class WebglStage implements Stage {
  readonly kind = "webgl";
  readonly canvas: HTMLCanvasElement;
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private eye: PerspectiveCamera | OrthographicCamera;
  private places: Float32Array;
  private bars: Shape[];
  private springs: Shape[];
  private boxes: Shape[];
  private discs: Shape[];
  private rods: Shape[]; // cylinders and capsules
  private capsules: Shape[];
  private arrows: Shape[];
  private knobs: Knob[];
  private barMesh: InstancedMesh;
  private barLines: LineSegments2; // instead of the mesh, where bars would be too thin or are too many
  private springMesh: InstancedMesh;
  private boxMesh: InstancedMesh;
  private boxEdges: LineSegments; // so that boxes side by side are not one
  private discMesh: InstancedMesh;
  private rodMesh: InstancedMesh;
  private capMesh: InstancedMesh; // both ends of capsules
  private shaftMesh: InstancedMesh;
  private headMesh: InstancedMesh;
  private planes: { shape: Shape; mesh: Mesh; edge: LineSegments }[] = [];
  private meshes: { shape: Shape; mesh: Mesh }[] = [];
  private knobMesh: InstancedMesh;
  private surfaces: { shape: Shape; mesh: Mesh; wires: LineSegments; done: boolean }[] = [];
  private paths: { shape: Shape; line: Line2; positions: Float32Array; done: boolean }[] = [];
  private trails: Trail[] = [];
  private grid = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
  private gridKey = "";
  private shadows = new Group(); // what is drawn, flattened onto the ground
  private shade = new MeshBasicMaterial({ depthWrite: false });
  private sun = new DirectionalLight(0xffffff, 2.2);
  private sky = new HemisphereLight(0xffffff, 0x8899aa, 1.4);
  private around = new AmbientLight(0xffffff, 0.35);
  private steel = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.1 });
  private coil = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.2 });
  private dye = new MeshStandardMaterial({ roughness: 0.6, metalness: 0.02 });
  private solid = new MeshStandardMaterial({ roughness: 0.65, metalness: 0.02, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  private paint = new MeshStandardMaterial({ roughness: 0.45, metalness: 0.02 });
  private skin = new MeshStandardMaterial({ roughness: 0.8, side: DoubleSide, transparent: true, opacity: 0.4, depthWrite: false });
  private size;
  private width = 1;
  private height = 1;

  constructor(private motion: Motion, private camera: Camera) {
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.canvas = this.renderer.domElement;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.size = sizes(motion);
    this.places = new Float32Array(motion.run.still.length);
    this.eye = camera.flat ? new OrthographicCamera() : new PerspectiveCamera();
    this.eye.up.set(0, camera.flat ? 1 : 0, camera.flat ? 0 : 1);
    this.bars = ofType(motion, "bar");
    this.springs = ofType(motion, "spring");
    this.boxes = ofType(motion, "box");
    this.discs = ofType(motion, "disc");
    this.rods = ofType(motion, "cylinder", "capsule");
    this.capsules = ofType(motion, "capsule");
    this.arrows = ofType(motion, "arrow");
    this.knobs = knobs(motion);
    this.barMesh = new InstancedMesh(new CylinderGeometry(1, 1, 1, 14, 1), this.steel, this.bars.length);
    this.barLines = new LineSegments2(new LineSegmentsGeometry(), new LineMaterial({ linewidth: THINNEST }));
    (this.barLines.geometry as LineSegmentsGeometry).setPositions(new Float32Array(6 * this.bars.length));
    this.barLines.frustumCulled = false;
    if (this.bars.length) this.scene.add(this.barLines);
    this.springMesh = new InstancedMesh(this.coilGeometry(), this.coil, this.springs.length);
    this.boxMesh = new InstancedMesh(new BoxGeometry(2, 2, 2), this.solid, this.boxes.length);
    this.boxEdges = new LineSegments(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(72 * this.boxes.length), 3))
      .setAttribute("color", new BufferAttribute(new Float32Array(72 * this.boxes.length), 3)), new LineBasicMaterial({ vertexColors: true }));
    this.boxEdges.frustumCulled = false;
    if (this.boxes.length) this.scene.add(this.boxEdges);
    this.discMesh = new InstancedMesh(new CylinderGeometry(1, 1, 2, 64, 1).rotateX(Math.PI / 2), this.solid, this.discs.length);
    const [around, down] = this.knobs.length > 3000 ? [6, 4] : this.knobs.length > 300 ? [10, 8] : [28, 20];
    this.knobMesh = new InstancedMesh(new SphereGeometry(1, around, down), this.paint, this.knobs.length);
    this.rodMesh = new InstancedMesh(new CylinderGeometry(1, 1, 1, 32, 1), this.solid, this.rods.length);
    this.capMesh = new InstancedMesh(new SphereGeometry(1, 28, 20), this.solid, 2 * this.capsules.length);
    this.shaftMesh = new InstancedMesh(new CylinderGeometry(1, 1, 1, 12, 1), this.dye, this.arrows.length);
    this.headMesh = new InstancedMesh(new ConeGeometry(1, 1, 20), this.dye, this.arrows.length);
    for (const mesh of [this.shaftMesh, this.headMesh]) {
      mesh.frustumCulled = false;
      if (mesh.count) this.scene.add(mesh);
    }
    for (const mesh of [this.barMesh, this.springMesh, this.boxMesh, this.discMesh, this.rodMesh, this.capMesh, this.knobMesh]) {
      mesh.frustumCulled = false;
      if (!mesh.count) continue;
      this.scene.add(mesh);
      const shadow = new InstancedMesh(mesh.geometry, this.shade, mesh.count);
      shadow.instanceMatrix = mesh.instanceMatrix;
      shadow.frustumCulled = false;
      shadow.renderOrder = -3;
      this.shadows.add(shadow);
    }
    if (!camera.flat) this.scene.add(this.shadows);
    this.makePlanes();
    this.makeMeshes();
    this.makeSurfaces();
    this.makePaths();
    this.makeTrails();
    this.scene.add(this.grid, this.sun, this.sun.target, this.sky, this.around);
    this.restyle();
  }

  /** A coil of height 1 whose wire is round at the springs' mean length in the first frame. */
  private coilGeometry(): BufferGeometry {
    if (!this.springs.length) return new BufferGeometry();
    this.motion.fill(0, this.places);
    const [a, b] = [new Vector3(), new Vector3()];
    const mean = this.springs.reduce((sum, s) => sum + this.at(s.at[0], a).distanceTo(this.at(s.at[1], b)), 0) / this.springs.length;
    const length = Math.max(2, mean / this.size.spring);
    return new TubeGeometry(new Helix(length), 420, 0.17, 7).scale(1, 1 / length, 1);
  }

  private makeSurfaces(): void {
    for (const shape of ofType(this.motion, "surface")) {
      const columns = shape.columns ?? 1;
      const rows = shape.at.length / columns;
      const faces: number[] = [];
      const edges: number[] = [];
      const strideR = Math.max(1, Math.round((rows - 1) / 12));
      const strideC = Math.max(1, Math.round((columns - 1) / 12));
      for (let r = 0; r < rows; r++)
        for (let c = 0; c < columns; c++) {
          const i = r * columns + c;
          if (r + 1 < rows && c + 1 < columns) faces.push(i, i + 1, i + columns, i + 1, i + columns + 1, i + columns);
          if (c + 1 < columns && (r % strideR === 0 || r === rows - 1)) edges.push(i, i + 1);
          if (r + 1 < rows && (c % strideC === 0 || c === columns - 1)) edges.push(i, i + columns);
        }
      const position = new BufferAttribute(new Float32Array(3 * shape.at.length), 3);
      const geometry = new BufferGeometry().setAttribute("position", position).setIndex(faces);
      const mesh = new Mesh(geometry, this.skin);
      const wires = new LineSegments(new BufferGeometry().setAttribute("position", position).setIndex(edges), new LineBasicMaterial({ transparent: true, opacity: 0.45 }));
      mesh.frustumCulled = wires.frustumCulled = false;
      this.surfaces.push({ shape, mesh, wires, done: false });
      this.scene.add(mesh, wires);
    }
  }

  private makePlanes(): void {
    for (const shape of ofType(this.motion, "plane", "ground")) {
      if (shape.type === "ground" && !this.camera.flat) continue; // the grid is it
      const position = new BufferAttribute(new Float32Array(12), 3);
      const mesh = new Mesh(new BufferGeometry().setAttribute("position", position).setIndex([0, 1, 2, 0, 2, 3]),
        new MeshBasicMaterial({ side: DoubleSide, transparent: true, opacity: 0.28, depthWrite: false }));
      const edge = new LineSegments(new BufferGeometry().setAttribute("position", position).setIndex(this.camera.flat ? [0, 1] : [0, 1, 1, 2, 2, 3, 3, 0]), new LineBasicMaterial());
      mesh.frustumCulled = edge.frustumCulled = false;
      mesh.renderOrder = edge.renderOrder = -1;
      this.planes.push({ shape, mesh, edge });
      this.scene.add(mesh, edge);
    }
  }

  private placePlanes(): void {
    for (const { shape, mesh } of this.planes) {
      const position = mesh.geometry.getAttribute("position") as BufferAttribute;
      // in the plane a little behind what moves in it
      planeCorners(this.motion, this.camera, shape, this.places).forEach(([x, y, z], i) => position.setXYZ(i, x, y, this.camera.flat ? -0.3 * this.motion.size : z));
      position.needsUpdate = true;
    }
  }

  private makeMeshes(): void {
    for (const shape of ofType(this.motion, "mesh")) {
      if (shape.mesh === undefined) continue;
      const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(this.motion.run.mesh(shape.mesh), 3));
      geometry.computeVertexNormals();
      const mesh = new Mesh(geometry, new MeshStandardMaterial({ roughness: 0.65, metalness: 0.02, side: DoubleSide }));
      mesh.frustumCulled = mesh.matrixAutoUpdate = false;
      this.meshes.push({ shape, mesh });
      this.scene.add(mesh);
    }
  }

  private placeMeshes(): void {
    const [o, x, y, z] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    for (const { shape, mesh } of this.meshes) {
      this.at(shape.at[0], o);
      [x, y, z].forEach((axis, k) => this.at(shape.at[1 + k], axis).sub(o));
      mesh.matrix.makeBasis(x, y, z).setPosition(o);
    }
  }

  private placeArrows(): void {
    const [a, b, scale, matrix, turn] = [new Vector3(), new Vector3(), new Vector3(), new Matrix4(), new Quaternion()];
    const width = Math.max(0.006 * Math.min(this.motion.size, this.motion.span), this.camera.unit());
    this.arrows.forEach((shape, i) => {
      const [foot, head] = arrowEnds(this.motion, shape, this.places);
      a.fromArray(foot);
      b.fromArray(head).sub(a);
      const length = b.length();
      const tip = Math.min(7 * width, 0.6 * length);
      turn.setFromUnitVectors(UP, length > 0 ? b.normalize() : UP);
      scale.set(width, Math.max(length - tip, 1e-12), width);
      this.shaftMesh.setMatrixAt(i, matrix.compose(a.clone().addScaledVector(b, (length - tip) / 2), turn, length > 1e-9 ? scale : scale.set(0, 0, 0)));
      scale.set(Math.min(2.6 * width, 0.4 * tip), tip || 1e-12, Math.min(2.6 * width, 0.4 * tip));
      this.headMesh.setMatrixAt(i, matrix.compose(a.addScaledVector(b, length - tip / 2), turn, length > 1e-9 ? scale : scale.set(0, 0, 0)));
    });
    this.shaftMesh.instanceMatrix.needsUpdate = this.headMesh.instanceMatrix.needsUpdate = true;
  }

  private placeRods(): void {
    this.placeBetween(this.rodMesh, this.rods, 0);
    const matrix = new Matrix4();
    this.capsules.forEach((shape, i) =>
      shape.at.forEach((place, end) => {
        const r = shape.radius ?? 0;
        this.capMesh.setMatrixAt(2 * i + end, matrix.makeScale(r, r, r).setPosition(this.places[3 * place], this.places[3 * place + 1], this.places[3 * place + 2]));
      }));
    this.capMesh.instanceMatrix.needsUpdate = true;
  }

  /** A colour per instance: what the model names, or this one. */
  private dyeAll(mesh: InstancedMesh, shapes: Shape[], otherwise: string): void {
    shapes.forEach((shape, i) => mesh.setColorAt(i, new Color(shape.colour ? named(shape.colour) : otherwise)));
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  private line(points: number, width: number): { line: Line2; positions: Float32Array } {
    const geometry = new LineGeometry();
    geometry.setPositions(new Float32Array(3 * points));
    const line = new Line2(geometry, new LineMaterial({ linewidth: width, transparent: true }));
    line.frustumCulled = false;
    this.scene.add(line);
    return { line, positions: (geometry.getAttribute("instanceStart") as InterleavedBufferAttribute).data.array as Float32Array };
  }

  private makePaths(): void {
    for (const shape of ofType(this.motion, "path")) this.paths.push({ shape, done: false, ...this.line(shape.at.length, 1.6) });
  }

  private makeTrails(): void {
    for (const place of this.motion.traced) {
      const { line, positions } = this.line(TRAIL_POINTS, 1.8);
      (line.geometry as LineGeometry).setColors(new Float32Array(3 * TRAIL_POINTS));
      const colours = (line.geometry.getAttribute("instanceColorStart") as InterleavedBufferAttribute).data.array as Float32Array;
      // A faded part is near the colour of the paper: taking the darker (in the dark the lighter) of what is there and the trail, it never
      // covers a part that is not, nor a body behind it.
      Object.assign(line.material, { vertexColors: true, transparent: true, depthWrite: false, blending: CustomBlending, blendSrc: OneFactor, blendDst: OneFactor });
      line.renderOrder = 1;
      this.trails.push({ place, line, positions, colours });
    }
  }

  restyle(): void {
    const t = theme();
    this.scene.background = new Color(t.dark ? "#191d21" : "#f6f7f8");
    this.shade.color.set(t.dark ? "#111417" : "#e3e6e9");
    this.dyeAll(this.barMesh, this.bars, t.bar);
    this.dyeAll(this.springMesh, this.springs, t.dark ? "#b8a06a" : "#8f7637");
    this.dyeAll(this.boxMesh, this.boxes, t.body);
    const edge = this.boxEdges.geometry.getAttribute("color") as BufferAttribute;
    this.boxes.forEach((shape, i) => {
      const c = new Color(shape.colour ? named(shape.colour) : t.body).multiplyScalar(0.5); // of linear light
      for (let k = 0; k < 24; k++) edge.setXYZ(24 * i + k, c.r, c.g, c.b);
    });
    edge.needsUpdate = true;
    this.dyeAll(this.discMesh, this.discs, t.body);
    this.dyeAll(this.rodMesh, this.rods, t.body);
    this.dyeAll(this.capMesh, this.capsules.flatMap((shape) => [shape, shape]), t.body);
    for (const mesh of [this.shaftMesh, this.headMesh]) this.dyeAll(mesh, this.arrows, t.colours[1]);
    for (const { shape, mesh } of this.meshes) (mesh.material as MeshStandardMaterial).color.set(shape.colour ? named(shape.colour) : t.body);
    for (const { shape, mesh, edge } of this.planes) {
      (mesh.material as MeshBasicMaterial).color.set(shape.colour ? named(shape.colour) : t.bar);
      (edge.material as LineBasicMaterial).color.set(shape.colour ? named(shape.colour) : t.bar);
    }
    this.skin.color.set(t.body);
    this.sun.intensity = t.dark ? 2.0 : 2.2;
    this.sky.intensity = t.dark ? 1.0 : 1.5;
    for (const s of this.surfaces) (s.wires.material as LineBasicMaterial).color.set(t.bar);
    for (const p of this.paths) p.line.material.color.set(p.shape.colour ? named(p.shape.colour) : t.muted);
    for (const trail of this.trails) trail.line.material.blendEquation = t.dark ? MaxEquation : MinEquation;
    const coloured = this.bars.some((shape) => shape.colour);
    this.barLines.material.vertexColors = coloured;
    this.barLines.material.color.set(coloured ? "#ffffff" : t.bar);
    if (coloured) (this.barLines.geometry as LineSegmentsGeometry).setColors(new Float32Array(this.bars.flatMap((shape) => {
      const c = new Color(shape.colour ? named(shape.colour) : t.bar).toArray();
      return [...c, ...c];
    })));
    this.knobs.forEach((knob, i) =>
      this.knobMesh.setColorAt(i, new Color(knob.paint ? named(knob.paint) : knob.fixed ? t.ink : knob.colour >= 0 ? t.colours[knob.colour % t.colours.length] : t.bar)));
    if (this.knobMesh.instanceColor) this.knobMesh.instanceColor.needsUpdate = true;
    this.gridKey = "";
  }

  /** Of the last picture. */
  get triangles(): number {
    return this.renderer.info.render.triangles;
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.renderer.setSize(width, height, false);
  }

  private aimCamera(): void {
    const c = this.camera;
    const [, , towards] = c.axes();
    if (this.eye instanceof PerspectiveCamera) {
      this.eye.fov = (c.fov * 180) / Math.PI;
      this.eye.aspect = this.width / this.height;
      this.eye.near = c.distance / 200;
      this.eye.far = c.distance * 20 + this.motion.span * 8;
    } else {
      const w = (c.distance * this.width) / this.height;
      Object.assign(this.eye, { left: -w, right: w, top: c.distance, bottom: -c.distance, near: 0.01 * c.distance, far: 100 * c.distance + this.motion.span });
    }
    const far = c.flat ? 20 * c.distance : c.distance;
    this.eye.position.set(c.target[0] + towards[0] * far, c.target[1] + towards[1] * far, c.target[2] + towards[2] * far);
    this.eye.lookAt(c.target[0], c.target[1], c.target[2]);
    this.eye.updateProjectionMatrix();
    // light from over the reader's left shoulder
    const [right, up] = c.axes();
    for (let k = 0; k < 3; k++) this.sun.position.setComponent(k, c.target[k] + (towards[k] * 1.6 + up[k] * 1.4 - right[k] * 0.9) * c.distance);
    this.sun.target.position.set(...c.target);
    this.sky.position.set(0, c.flat ? 1 : 0, c.flat ? 0 : 1);
  }

  /** Lines of the ground, or of the plane, around where the camera looks. */
  private layGrid(): void {
    const c = this.camera;
    const extent = c.flat ? Math.max(c.distance, (c.distance * this.width) / this.height) : Math.max(this.camera.radius * 1.7, 1e-9);
    const step = gridStep(extent * (c.flat ? 1.6 : 2));
    const ground = groundHeight(this.motion);
    const height = c.flat ? -this.motion.size * 0.5 : ground !== undefined ? ground : (c.follow ? Math.min(c.target[2], this.motion.centre[2]) - c.radius * 1.05 : this.motion.low[2] - 0.04 * this.motion.size);
    this.shadows.position.z = height;
    this.shadows.scale.z = 1e-5;
    const [cx, cy] = c.flat || c.follow ? c.target : this.motion.centre;
    const nx = Math.round(cx / step);
    const ny = Math.round(cy / step);
    const n = Math.ceil(extent / step) + (c.flat ? 1 : 0);
    const key = [nx, ny, n, step, height, theme().dark].join();
    if (key === this.gridKey) return;
    this.gridKey = key;
    const points: number[] = [];
    const colours: number[] = [];
    const paper = new Color(this.scene.background as Color);
    const ink = new Color(theme().dark ? "#59636d" : "#aeb6be");
    const mix = new Color();
    const put = (x: number, y: number, strong: boolean) => {
      const far = Math.hypot(x - cx, y - cy) / extent;
      mix.copy(paper).lerp(ink, (c.flat ? 0.35 : Math.max(0, 1 - far ** 2) * 0.75) * (strong ? 1.45 : 1));
      points.push(x, y, height);
      colours.push(mix.r, mix.g, mix.b);
    };
    for (let i = -n; i <= n; i++)
      for (let j = -n; j < n; j++) {
        put((nx + i) * step, (ny + j) * step, nx + i === 0);
        put((nx + i) * step, (ny + j + 1) * step, nx + i === 0);
        put((nx + j) * step, (ny + i) * step, ny + i === 0);
        put((nx + j + 1) * step, (ny + i) * step, ny + i === 0);
      }
    this.grid.geometry.dispose();
    this.grid.geometry = new BufferGeometry()
      .setAttribute("position", new BufferAttribute(new Float32Array(points), 3))
      .setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    (this.grid.material as LineBasicMaterial).vertexColors = true;
    this.grid.frustumCulled = false;
    this.grid.renderOrder = -2;
    (this.grid.material as LineBasicMaterial).depthWrite = false;
  }

  private at(place: number, out: Vector3): Vector3 {
    return out.fromArray(this.places, 3 * place);
  }

  private placeBetween(mesh: InstancedMesh, shapes: Shape[], radius: number): void {
    const [a, b, scale, matrix, turn] = [new Vector3(), new Vector3(), new Vector3(), new Matrix4(), new Quaternion()];
    shapes.forEach((shape, i) => {
      this.at(shape.at[0], a);
      this.at(shape.at[1], b);
      const length = a.distanceTo(b);
      const r = radius || shape.radius || 0; // a rod has its own
      scale.set(r, length || 1e-9, r);
      b.sub(a);
      a.addScaledVector(b, 0.5);
      turn.setFromUnitVectors(UP, length > 0 ? b.normalize() : UP);
      mesh.setMatrixAt(i, matrix.compose(a, turn, scale));
    });
    mesh.instanceMatrix.needsUpdate = true;
  }

  /** Centre and ends of the half axes: an affine map of the unit body. A flat body gets a little thickness. */
  private placeBodies(mesh: InstancedMesh, shapes: Shape[]): void {
    const [o, x, y, z, matrix] = [new Vector3(), new Vector3(), new Vector3(), new Vector3(), new Matrix4()];
    shapes.forEach((shape, i) => {
      this.at(shape.at[0], o);
      this.at(shape.at[1], x).sub(o);
      this.at(shape.at[2], y).sub(o);
      this.at(shape.at[3], z).sub(o);
      if (z.lengthSq() === 0) z.crossVectors(x, y).normalize().multiplyScalar(this.size.bar * 0.5);
      matrix.makeBasis(x, y, z).setPosition(o);
      mesh.setMatrixAt(i, matrix);
    });
    mesh.instanceMatrix.needsUpdate = true;
  }

  /** Twelve edges of each box, where its faces are. */
  private placeEdges(): void {
    const position = this.boxEdges.geometry.getAttribute("position") as BufferAttribute;
    const [matrix, corner] = [new Matrix4(), new Vector3()];
    let at = 0;
    for (let i = 0; i < this.boxes.length; i++) {
      this.boxMesh.getMatrixAt(i, matrix);
      for (let c = 0; c < 8; c++)
        for (let k = 0; k < 3; k++)
          if (!(c & (1 << k)))
            for (const end of [c, c | (1 << k)]) {
              corner.set(end & 1 ? 1 : -1, end & 2 ? 1 : -1, end & 4 ? 1 : -1).applyMatrix4(matrix);
              position.setXYZ(at++, corner.x, corner.y, corner.z);
            }
    }
    position.needsUpdate = true;
  }

  /** Bars as cylinders, or all of them as lines. Says which. */
  private placeBars(): boolean {
    const pixels = (2 * this.size.bar) / this.camera.unit();
    const lines = pixels < THINNEST || this.bars.length > MANY_BARS;
    this.barLines.visible = lines;
    this.barMesh.visible = !lines;
    for (const shadow of this.shadows.children) if ((shadow as InstancedMesh).instanceMatrix === this.barMesh.instanceMatrix) shadow.visible = !lines;
    if (!lines) this.placeBetween(this.barMesh, this.bars, this.size.bar);
    if (!lines || !this.bars.length) return lines;
    const data = (this.barLines.geometry.getAttribute("instanceStart") as InterleavedBufferAttribute).data;
    const to = data.array as Float32Array;
    for (let i = 0; i < this.bars.length; i++)
      for (let end = 0; end < 2; end++) for (let c = 0; c < 3; c++) to[6 * i + 3 * end + c] = this.places[3 * this.bars[i].at[end] + c];
    data.needsUpdate = true;
    this.barLines.material.linewidth = Math.max(THINNEST, Math.min(pixels, 12));
    return lines;
  }

  private placeKnobs(lines: boolean): void {
    const matrix = new Matrix4();
    const unit = this.camera.unit();
    this.knobs.forEach((knob, i) => {
      const k = 3 * knob.place;
      const radius = lines && knob.joint ? 0 : knobRadius(knob, unit);
      matrix.makeScale(radius, radius, radius).setPosition(this.places[k], this.places[k + 1], this.places[k + 2]);
      this.knobMesh.setMatrixAt(i, matrix);
    });
    this.knobMesh.instanceMatrix.needsUpdate = true;
  }

  private placeSurfaces(): void {
    for (const s of this.surfaces) {
      if (s.done) continue;
      const position = s.mesh.geometry.getAttribute("position") as BufferAttribute;
      s.shape.at.forEach((place, i) => position.setXYZ(i, this.places[3 * place], this.places[3 * place + 1], this.places[3 * place + 2]));
      position.needsUpdate = true;
      s.mesh.geometry.computeVertexNormals();
      s.done = !s.shape.at.some((place) => this.motion.moves(place));
    }
  }

  /** Segments i of a Line2 are points i and i + 1. */
  private setLine(line: Line2, positions: Float32Array, points: number[]): void {
    const count = points.length / 3;
    for (let i = 0; i + 1 < count; i++) for (let c = 0; c < 6; c++) positions[6 * i + c] = points[3 * i + c];
    line.geometry.instanceCount = Math.max(0, count - 1);
    line.visible = count > 1;
    (line.geometry.getAttribute("instanceStart") as InterleavedBufferAttribute).data.needsUpdate = true;
  }

  private placePaths(): void {
    for (const p of this.paths) {
      if (p.done) continue;
      this.setLine(p.line, p.positions, p.shape.at.flatMap((place) => [this.places[3 * place], this.places[3 * place + 1], this.places[3 * place + 2]]));
      p.done = !p.shape.at.some((place) => this.motion.moves(place));
    }
  }

  private placeTrails(frame: number, length: TrailLength): void {
    const frames = trailFrames(this.motion, frame, length, TRAIL_POINTS);
    const paper = this.scene.background as Color;
    const colour = new Color();
    const place = [0, 0, 0];
    this.trails.forEach((trail, number) => {
      const t = theme();
      const full = new Color(t.colours[number % t.colours.length]);
      const points: number[] = [];
      const shades: number[] = [];
      frames.forEach((k, i) => {
        this.motion.place(trail.place, k, place);
        points.push(place[0], place[1], place[2]);
        colour.copy(paper).lerp(full, presence(i, frames.length, length));
        shades.push(colour.r, colour.g, colour.b);
      });
      for (let i = 0; i + 1 < frames.length; i++) for (let c = 0; c < 6; c++) trail.colours[6 * i + c] = shades[3 * i + c];
      (trail.line.geometry.getAttribute("instanceColorStart") as InterleavedBufferAttribute).data.needsUpdate = true;
      this.setLine(trail.line, trail.positions, points);
    });
  }

  draw(frame: number, trail: TrailLength): void {
    aim(this.camera, frame);
    this.motion.fill(frame, this.places);
    const lines = this.placeBars();
    this.placeBetween(this.springMesh, this.springs, this.size.spring);
    this.placeBodies(this.boxMesh, this.boxes);
    this.placeEdges();
    this.placeBodies(this.discMesh, this.discs);
    this.placeRods();
    this.placeArrows();
    this.placeMeshes();
    this.placeKnobs(lines);
    this.placeSurfaces();
    this.placePaths();
    this.placeTrails(frame, trail);
    this.aimCamera();
    this.placePlanes();
    this.layGrid();
    this.renderer.render(this.scene, this.eye);
  }
}
