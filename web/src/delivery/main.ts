import { createApp } from "vue";
import "../shared/base.css";
import Delivery from "./Delivery.vue";

createApp(Delivery).mount("#page");
